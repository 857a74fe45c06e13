#!/usr/bin/python3
"""One of the first four bundled pipelines, written with Halide's Python bindings, scheduled by beamwalk's plugin and compiled.

   python.py PLUGIN PIPELINE OBJECT [NAME=VALUE...]

What it is to do stands in BEAMWALK_REQUEST and BEAMWALK_OPTIONS, as for a generator; from Halide 15 on the search's options, whole numbers, can be arguments."""
import math
import sys

import halide as hl

x, y, c = hl.Var("x"), hl.Var("y"), hl.Var("c")


def func(name, *args):
    """Defines a Func of these arguments: func("f", x, y)(value)."""
    made = hl.Func(name)

    def define(value):
        made[args] = value
        return made

    return define


def image(kind, sizes):
    made = hl.ImageParam(kind, len(sizes), "input")
    for dim, size in enumerate(sizes):
        made.dim(dim).set_estimate(0, size)
    return made


def estimated(output, args, regions):
    for arg, (least, extent) in zip(args, regions):
        output.set_estimate(arg, least, extent)
    return output


def blur():
    def mean(p, q, r):
        return hl.cast(hl.UInt(16), (hl.cast(hl.UInt(32), p) + q + r) / 3)

    width, height = 6400, 4800
    source = image(hl.UInt(16), (width + 2, height + 2))
    blur_x = func("blur_x", x, y)(mean(source[x, y], source[x + 1, y], source[x + 2, y]))
    output = func("output", x, y)(mean(blur_x[x, y], blur_x[x, y + 1], blur_x[x, y + 2]))
    return source, estimated(output, (x, y), ((0, width), (0, height)))


def harris():
    def sum3x3(of):
        total = None
        for dy in (-1, 0, 1):
            for dx in (-1, 0, 1):
                total = of[x + dx, y + dy] if total is None else total + of[x + dx, y + dy]
        return total

    width, height, border = 1536, 2560, 2
    source = image(hl.UInt(8), (width, height, 3))
    Y = func("Y", x, y)((hl.f32(0.299) * source[x, y, 0] + hl.f32(0.587) * source[x, y, 1] + hl.f32(0.114) * source[x, y, 2]) / hl.f32(255))
    Iy = func("Iy", x, y)(
        (Y[x - 1, y + 1] - Y[x - 1, y - 1] + hl.f32(2) * (Y[x, y + 1] - Y[x, y - 1]) + Y[x + 1, y + 1] - Y[x + 1, y - 1]) / hl.f32(12)
    )
    Ix = func("Ix", x, y)(
        (Y[x + 1, y - 1] - Y[x - 1, y - 1] + hl.f32(2) * (Y[x + 1, y] - Y[x - 1, y]) + Y[x + 1, y + 1] - Y[x - 1, y + 1]) / hl.f32(12)
    )
    Ixx = func("Ixx", x, y)(Ix[x, y] * Ix[x, y])
    Iyy = func("Iyy", x, y)(Iy[x, y] * Iy[x, y])
    Ixy = func("Ixy", x, y)(Ix[x, y] * Iy[x, y])
    Sxx = func("Sxx", x, y)(sum3x3(Ixx))
    Syy = func("Syy", x, y)(sum3x3(Iyy))
    Sxy = func("Sxy", x, y)(sum3x3(Ixy))
    det = func("det", x, y)(Sxx[x, y] * Syy[x, y] - Sxy[x, y] * Sxy[x, y])
    trace = func("trace", x, y)(Sxx[x, y] + Syy[x, y])
    output = func("output", x, y)(det[x, y] - hl.f32(0.04) * trace[x, y] * trace[x, y])
    return source, estimated(output, (x, y), ((border, width - 2 * border), (border, height - 2 * border)))


def unsharp():
    width, height, radius, sigma = 1536, 2560, 3, 1.5
    scale = sum(math.exp(-k * k / (2 * sigma * sigma)) for k in range(-radius, radius + 1))
    weights = [hl.f32(math.exp(-k * k / (2 * sigma * sigma)) / scale) for k in range(radius + 1)]

    def gaussian(at):
        total = weights[0] * at(0)
        for k in range(1, radius + 1):
            total = total + weights[k] * (at(-k) + at(k))
        return total

    source = image(hl.Float(32), (width, height, 3))
    whole = hl.Func("lambda_0")  # what a generator's input becomes where a Func is wanted
    whole[hl._] = source[hl._]
    bounded = hl.BoundaryConditions.repeat_edge(whole, [(0, source.width()), (0, source.height()), (hl.Expr(), hl.Expr())])
    gray = func("gray", x, y)(hl.f32(0.299) * bounded[x, y, 0] + hl.f32(0.587) * bounded[x, y, 1] + hl.f32(0.114) * bounded[x, y, 2])
    blur_y = func("blur_y", x, y)(gaussian(lambda offset: gray[x, y + offset]))
    blur_x = func("blur_x", x, y)(gaussian(lambda offset: blur_y[x + offset, y]))
    sharpen = func("sharpen", x, y)(hl.f32(2) * gray[x, y] - blur_x[x, y])
    ratio = func("ratio", x, y)(sharpen[x, y] / hl.max(gray[x, y], hl.f32(1 / 1024)))
    output = func("output", x, y, c)(ratio[x, y] * source[x, y, c])
    source.dim(0).set_min(0)
    source.dim(1).set_min(0)
    source.dim(2).set_bounds(0, 3)
    output.output_buffer().dim(2).set_bounds(0, 3)
    return source, estimated(output, (x, y, c), ((0, width), (0, height), (0, 3)))


def stencil_chain():
    width, height, radius = 1536, 2560, 2
    source = image(hl.UInt(16), (width, height))
    last = hl.BoundaryConditions.repeat_edge(source)

    def stencil(of):
        total, weight = None, 0
        for dy in range(-radius, radius + 1):
            for dx in range(-radius, radius + 1):
                weight += 1
                term = hl.cast(hl.UInt(16), weight) * of[x + dx, y + dy]
                total = term if total is None else total + term
        return total

    for s in range(1, 33):
        last = func("stage%d" % s, x, y)(stencil(last))
    output = func("output", x, y)(last[x, y])
    source.dim(0).set_min(0)
    source.dim(1).set_min(0)
    return source, estimated(output, (x, y), ((0, width), (0, height)))


def schedule(pipeline, target, options):
    """Has beamwalk schedule it, as this Halide asks an autoscheduler. Halide 14 has MachineParams, of which these are its default, and no place for options."""
    if hasattr(hl, "AutoschedulerParams"):
        return pipeline.apply_autoscheduler(target, hl.AutoschedulerParams("Beamwalk", options))
    if options:
        sys.exit("this Halide takes no options: %s" % options)
    return pipeline.auto_schedule("Beamwalk", target, hl.MachineParams(16, 16 * 1024 * 1024, 40))


def main():
    plugin, name, path, *settings = sys.argv[1:]
    options = {key: int(value) for key, value in (setting.split("=") for setting in settings)}
    source, output = {"blur": blur, "harris": harris, "unsharp": unsharp, "stencil_chain": stencil_chain}[name]()
    hl.load_plugin(plugin)
    target = hl.Target("x86-64-linux-opencl-no_runtime")
    pipeline = hl.Pipeline(output)
    print(schedule(pipeline, target, options).schedule_source)
    pipeline.compile_to_object(path, [source], "bw_filter", target)


main()
