#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "check.h"

enum { CHANNELS = 3, BORDER = 16, MOST = 1023 };

struct settings {
	int16_t matrix_3200[12], matrix_7000[12];
	int32_t warmth, sharpening, black, full;
	float gamma, contrast;
};

struct shot {
	const struct compiled *compiled;
	int width, height; /* of the output; the sensor has BORDER pixels more on each side */
	uint16_t *raw;
	uint8_t *out;
};

static uint16_t *raw_at(const struct shot *shot, int x, int y)
{
	return &shot->raw[(y + BORDER) * (shot->width + 2 * BORDER) + x + BORDER];
}

static void develop(const struct shot *shot, struct settings *settings)
{
	const int wide = shot->width + 2 * BORDER, high = shot->height + 2 * BORDER, plane = shot->width * shot->height;
	struct halide_dimension_t in_dims[] = {{0, wide, 1, 0}, {0, high, wide, 0}}, out_dims[] = {{0, shot->width, 1, 0}, {0, shot->height, shot->width, 0}, {0, CHANNELS, plane, 0}}, dims[2][2];
	for (int k = 0; k < 2; k++) {
		dims[k][0] = (struct halide_dimension_t){0, 4, 1, 0};
		dims[k][1] = (struct halide_dimension_t){0, 3, 4, 0};
	}
	struct halide_buffer_t input = buffer_of(shot->raw, (struct halide_type_t){halide_type_uint, 16, 1}, in_dims, 2), output = buffer_of(shot->out, (struct halide_type_t){halide_type_uint, 8, 1}, out_dims, 3);
	struct halide_buffer_t matrix_3200 = buffer_of(settings->matrix_3200, (struct halide_type_t){halide_type_int, 16, 1}, dims[0], 2), matrix_7000 = buffer_of(settings->matrix_7000, (struct halide_type_t){halide_type_int, 16, 1}, dims[1], 2);
	run_filter_with(shot->compiled->path, (void *[]){&input, &matrix_3200, &matrix_7000, &settings->warmth, &settings->gamma, &settings->contrast, &settings->sharpening, &settings->black, &settings->full, &output}, &output);
}

/* A value of the sensor as a byte: gamma, and two parabolas that meet in one half. */
static double curve(const struct settings *settings, int value)
{
	double light = fmin(fmax((double)(value - settings->black) / (settings->full - settings->black), 0), 1);
	double bent = pow(light, 1 / (double)settings->gamma), slope = 2 - pow(2, (double)settings->contrast / 100), dark = fmin(bent, 1 - bent);
	double half = (2 - 2 * slope) * dark * dark + slope * dark;
	return 255 * (bent > 0.5 ? 1 - half : half);
}

/* A colour as the matrix makes it of those of the sensor. */
static int corrected(const struct settings *settings, const int colour[CHANNELS], int c)
{
	double sum = 0;
	for (int k = 0; k < 4; k++) {
		double entry = floor((settings->matrix_3200[4 * c + k] * settings->warmth + settings->matrix_7000[4 * c + k] * (256 - settings->warmth)) / 256.0);
		sum += entry * (k < 3 ? colour[k] : 1);
	}
	return (int)fmin(fmax(floor(sum / 256), 0), MOST);
}

/* That a pixel is what the curve makes of a value, within half a unit and what a power may be wrong. */
static void is(const struct shot *shot, const struct settings *settings, int x, int y, int c, int value, const char *what)
{
	int got = shot->out[(c * shot->height + y) * shot->width + x];
	double right = curve(settings, value);
	if (!(fabs(got - right) <= 0.51))
		fail_msg("%s: %s: (%d, %d, %d) of %dx%d is %d, not %.3f", shot->compiled->path, what, x, y, c, shot->width, shot->height, got, right);
}

static const struct settings plain = {{256, 0, 0, 0, 0, 256, 0, 0, 0, 0, 256, 0}, {256, 0, 0, 0, 0, 256, 0, 0, 0, 0, 256, 0}, 100, 0, 25, 1000, 1, 0};
static const struct settings mixing = {{400, -60, -84, 900, -50, 350, -44, -300, 10, -120, 366, 12}, {300, -20, -24, -500, -70, 390, -64, 30, 0, -99, 355, 17000}, 77, 40, 12, 901, 2.2f, 50};

/* A flat colour stays flat, and hot pixels on it are not seen. */
static void flat(const struct shot *shot, struct settings settings, bool hot)
{
	static const int colours[][CHANNELS] = {{300, 500, 200}, {1023, 1023, 1023}, {0, 0, 0}, {40, 700, 900}, {26, 27, 28}};
	for (int k = 0; k < 5; k++) {
		for (int y = -BORDER; y < shot->height + BORDER; y++)
			for (int x = -BORDER; x < shot->width + BORDER; x++)
				*raw_at(shot, x, y) = (uint16_t)colours[k][(x & 1) == (y & 1) ? 1 : y & 1 ? 2 : 0];
		for (int y = 0; hot && y < shot->height; y += 7)
			for (int x = 0; x < shot->width; x += 9)
				*raw_at(shot, x, y) = MOST;
		develop(shot, &settings);
		for (int i = 0; i < CHANNELS * shot->width * shot->height; i++) {
			int c = i / shot->width / shot->height;
			is(shot, &settings, i % shot->width, i / shot->width % shot->height, c, corrected(&settings, colours[k], c), "a flat colour");
		}
	}
}

/* Gray that grows along one direction, by any steps, stays as it is: along the other, green is known everywhere. */
static void gray(const struct shot *shot, bool down)
{
	struct settings settings = plain;
	int values[256] = {0};
	uint64_t state = 5;
	for (int i = 0; i < 255; i++)
		values[i + 1] = values[i] + 1 + (int)(noise(&state) >> 9) % 5;
	for (int y = -BORDER; y < shot->height + BORDER; y++)
		for (int x = -BORDER; x < shot->width + BORDER; x++)
			*raw_at(shot, x, y) = (uint16_t)values[BORDER + (down ? y : x)];
	develop(shot, &settings);
	for (int i = 0; i < CHANNELS * shot->width * shot->height; i++) {
		int x = i % shot->width, y = i / shot->width % shot->height;
		is(shot, &settings, x, y, i / shot->width / shot->height, values[BORDER + (down ? y : x)], down ? "gray by rows" : "gray by columns");
	}
}

/* Of any image: what is sharpened is what is not, and as much again of its difference from its neighbours' mean. */
static void sharp(const struct shot *shot, int32_t sharpening)
{
	const int width = shot->width, height = shot->height, plane = width * height;
	struct settings settings = mixing;
	uint8_t *soft = BW_NEW_ARRAY(uint8_t, CHANNELS * plane);
	uint64_t state = 9;
	for (int i = 0; i < (width + 2 * BORDER) * (height + 2 * BORDER); i++)
		shot->raw[i] = (uint16_t)(noise(&state) >> 21);
	settings.sharpening = 0;
	develop(shot, &settings);
	for (int i = 0; i < CHANNELS * plane; i++)
		soft[i] = shot->out[i];
	settings.sharpening = sharpening;
	develop(shot, &settings);
	for (int i = 0; i < CHANNELS * plane; i++) {
		int x = i % width, y = i / width % height, rows[3];
		if (x == 0 || y == 0 || x == width - 1 || y == height - 1)
			continue;
		for (int k = 0; k < 3; k++) {
			const uint8_t *at = soft + i + k - 1;
			rows[k] = (at[-width] + 2 * at[0] + at[width] + 2) / 4;
		}
		double right = soft[i] + floor((soft[i] - (rows[0] + 2 * rows[1] + rows[2] + 2) / 4) * (double)sharpening / 32);
		right = fmin(fmax(right, 0), 255);
		if (shot->out[i] != (int)right)
			fail_msg("%s: sharpened, (%d, %d, %d) of %dx%d is %d, not %d", shot->compiled->path, x, y, i / plane, width, height, shot->out[i], (int)right);
	}
	free(soft);
}

void check_camera_pipe(const struct compiled *compiled, int width, int height)
{
	struct shot shot = {compiled, width, height, BW_NEW_ARRAY(uint16_t, (width + 2 * BORDER) * (height + 2 * BORDER)), BW_NEW_ARRAY(uint8_t, CHANNELS * width * height)};
	flat(&shot, plain, false);
	flat(&shot, mixing, true);
	gray(&shot, false);
	gray(&shot, true);
	sharp(&shot, 32);
	sharp(&shot, 75);
	free(shot.raw);
	free(shot.out);
}
