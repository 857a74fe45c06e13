/* Numbers of loop levels: Func, stage, role and serial loop packed into 32 bits. */
#include "nest/nest.h"

/* 31: a level and not the root; 30..18: Func; 17..12: stage; 11..10: role; 9..0: serial. */
enum { FUNC_SHIFT = 18, STAGE_SHIFT = 12, ROLE_SHIFT = 10 };

bw_level bw_level_make(int func, int stage, enum bw_role role, int serial)
{
	return 1u << 31 | (bw_level)func << FUNC_SHIFT | (bw_level)stage << STAGE_SHIFT |
	       (bw_level)role << ROLE_SHIFT | (bw_level)serial;
}

int bw_level_func(bw_level level)
{
	return (int)(level >> FUNC_SHIFT & 0x1fff);
}

int bw_level_stage(bw_level level)
{
	return (int)(level >> STAGE_SHIFT & 0x3f);
}

enum bw_role bw_level_role(bw_level level)
{
	return (enum bw_role)(level >> ROLE_SHIFT & 3);
}

int bw_level_serial(bw_level level)
{
	return (int)(level & 0x3ff);
}
