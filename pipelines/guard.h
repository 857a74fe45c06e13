// Whether an autoscheduler makes the schedule: `using_autoscheduler()` from Halide 15 on, `auto_schedule` in 14.
#ifndef BW_PIPELINES_GUARD_H
#define BW_PIPELINES_GUARD_H
#if defined BW_HALIDE_MAJOR && BW_HALIDE_MAJOR == 14
#define using_autoscheduler() auto_schedule
#endif
#endif
