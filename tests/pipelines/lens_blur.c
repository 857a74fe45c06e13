#include <stdlib.h>

#include "base/mem.h"
#include "check.h"

enum { SLICES = 32,
       LEVELS = 8,
       SAMPLES = 32,
       REACH = 9,
       CHANNELS = 3 };

struct picture {
	uint8_t *values;
	int width, height;
};

/* Values of one slice, and how sure pixels are of them, for the pixels of a level and a rim of one around it. */
struct plane {
	int *values;
	int width, height;
};

static int clamped(int value, int least, int most)
{
	return value < least ? least : value > most ? most : value;
}

static struct picture picture_new(int width, int height)
{
	return (struct picture){BW_NEW_ARRAY(uint8_t, width * height * CHANNELS), width, height};
}

static int colour(const struct picture *of, int x, int y, int c)
{
	return of->values[(c * of->height + clamped(y, 0, of->height - 1)) * of->width + clamped(x, 0, of->width - 1)];
}

static struct plane plane_new(int width, int height)
{
	return (struct plane){BW_NEW_ARRAY(int, (width + 2) * (height + 2)), width, height};
}

static int *plane_at(const struct plane *plane, int x, int y)
{
	assert_in_range(x + 1, 0, plane->width + 1);
	assert_in_range(y + 1, 0, plane->height + 1);
	return &plane->values[(y + 1) * (plane->width + 2) + x + 1];
}

/* Each place of a plane and its rim. */
#define EACH(plane, x, y) \
	for (int y = -1; y <= (plane)->height; y++) \
		for (int x = -1; x <= (plane)->width; x++)

/* Absolute differences of the channels to the nearer of two neighbours. */
static int cost(const struct picture *left, const struct picture *right, int x, int y, int slice)
{
	int sum = 0;
	for (int c = 0; c < CHANNELS; c++) {
		int first = abs(colour(left, x, y, c) - colour(right, x + 2 * slice, y, c)), second = abs(colour(left, x, y, c) - colour(right, x + 2 * slice + 1, y, c));
		sum += first < second ? first : second;
	}
	return sum;
}

/* The variance of the costs of a pixel, in steps of 64 up to 85. */
static int confidence(const struct picture *left, const struct picture *right, int x, int y)
{
	int64_t sum = 0, squares = 0;
	for (int slice = 0; slice < SLICES; slice++) {
		int64_t one = cost(left, right, x, y, slice);
		sum += one;
		squares += one * one;
	}
	int64_t steps = (SLICES * squares - sum * sum) / (64 * SLICES * SLICES);
	return steps < 85 ? (int)steps : 85;
}

/* The weighted mean of four along one dimension: the pixels of a pair and their neighbours. */
static int mean_of_four(const struct plane *of, int x, int y, int dx, int dy)
{
	static const int weights[4] = {1, 3, 3, 1};
	int sum = 4;
	for (int k = 0; k < 4; k++)
		sum += weights[k] * *plane_at(of, clamped(x + (k - 1) * dx, 0, of->width - 1), clamped(y + (k - 1) * dy, 0, of->height - 1));
	return sum / 8;
}

static struct plane halved(const struct plane *of)
{
	struct plane rows = plane_new((of->width + 1) / 2, of->height), half = plane_new(rows.width, (of->height + 1) / 2);
	EACH(&rows, x, y)
	*plane_at(&rows, x, y) = mean_of_four(of, 2 * clamped(x, 0, rows.width - 1), y, 1, 0);
	EACH(&half, x, y)
	*plane_at(&half, x, y) = mean_of_four(&rows, x, 2 * clamped(y, 0, half.height - 1), 0, 1);
	free(rows.values);
	return half;
}

/* Three quarters of the pixel that a place of twice the resolution lies in, a quarter of the neighbour that it is next to; x first. */
static int between(int near, int far)
{
	return (3 * near + far + 2) / 4;
}

static int parent(int place)
{
	return (place + 2) / 2 - 1;
}

static int neighbour(int place)
{
	return place % 2 ? parent(place) + 1 : parent(place) - 1;
}

static int doubled(const struct plane *of, int x, int y)
{
	int column = parent(x), beside = neighbour(x), line = parent(y), next = neighbour(y);
	return between(between(*plane_at(of, column, line), *plane_at(of, beside, line)), between(*plane_at(of, column, next), *plane_at(of, beside, next)));
}

/* The volume's slice, filled in by its pyramid. */
static struct plane filled(const struct plane *slice)
{
	struct plane levels[LEVELS] = {plane_new(slice->width, slice->height)};
	EACH(slice, x, y)
	*plane_at(&levels[0], x, y) = *plane_at(slice, x, y);
	for (int l = 1; l < LEVELS; l++)
		levels[l] = halved(&levels[l - 1]);
	for (int l = LEVELS - 2; l >= 0; l--) {
		EACH(&levels[l], x, y)
		*plane_at(&levels[l], x, y) = (*plane_at(&levels[l], x, y) + doubled(&levels[l + 1], x, y) + 1) / 2;
		free(levels[l + 1].values);
	}
	return levels[0];
}

/* The slice of each pixel. */
static struct plane depth_of(const struct picture *left, const struct picture *right)
{
	struct plane sure = plane_new(left->width, left->height), least = plane_new(left->width, left->height), depth = plane_new(left->width, left->height), slice = plane_new(left->width, left->height);
	EACH(&sure, x, y)
	*plane_at(&sure, x, y) = confidence(left, right, clamped(x, 0, sure.width - 1), clamped(y, 0, sure.height - 1));
	for (int z = 0; z < SLICES; z++) {
		EACH(&slice, x, y)
		*plane_at(&slice, x, y) = *plane_at(&sure, x, y) * cost(left, right, clamped(x, 0, sure.width - 1), clamped(y, 0, sure.height - 1), z);
		struct plane one = filled(&slice);
		EACH(&one, x, y)
		if (z == 0 || *plane_at(&one, x, y) < *plane_at(&least, x, y)) {
			*plane_at(&least, x, y) = *plane_at(&one, x, y);
			*plane_at(&depth, x, y) = z;
		}
		free(one.values);
	}
	free(slice.values);
	free(sure.values);
	free(least.values);
	return depth;
}

struct lens {
	int32_t focus, aperture;
	const struct plane *depth;
};

static int depth_at(const struct lens *lens, int x, int y)
{
	return *plane_at(lens->depth, clamped(x, 0, lens->depth->width - 1), clamped(y, 0, lens->depth->height - 1));
}

/* In sixteenths of a pixel. */
static int radius_at(const struct lens *lens, int x, int y)
{
	int radius = abs(depth_at(lens, x, y) - lens->focus) * lens->aperture;
	return radius < 16 * REACH ? radius : 16 * REACH;
}

static int widest_around(const struct lens *lens, int x, int y)
{
	int widest = 0;
	for (int dy = -REACH; dy <= REACH; dy++)
		for (int dx = -REACH; dx <= REACH; dx++)
			if (radius_at(lens, x + dx, y + dy) > widest)
				widest = radius_at(lens, x + dx, y + dy);
	return widest;
}

/* The hash function pcg3d of Jarzynski and Olano; two of its three words are right. */
static void hash(uint32_t v[3])
{
	for (int n = 0; n < 3; n++)
		v[n] = v[n] * 1664525 + 1013904223;
	for (int round = 0; round < 2; round++) {
		v[0] += v[1] * v[2];
		v[1] += v[2] * v[0];
		v[2] += round ? 0 : v[0] * v[1];
		for (int n = 0; n < 3 && round == 0; n++)
			v[n] ^= v[n] >> 16;
	}
}

/* What a sample counts for a pixel, 0 or 1; and how far away it is. */
static int sampled(const struct lens *lens, int x, int y, int sample, int widest, int away[2])
{
	uint32_t words[3] = {(uint32_t)x, (uint32_t)y, (uint32_t)sample};
	int side = widest / 16, squared;
	hash(words);
	for (int n = 0; n < 2; n++)
		away[n] = (int)((words[n] >> 16) * (uint32_t)(2 * side + 1) / 65536) - side;
	squared = 256 * (away[0] * away[0] + away[1] * away[1]);
	int own = radius_at(lens, x, y), other = radius_at(lens, x + away[0], y + away[1]);
	int front = depth_at(lens, x + away[0], y + away[1]) < depth_at(lens, x, y);
	return squared < other * other && (front || squared < own * own);
}

/* A pixel of the blurred picture. */
static void blurred(const struct picture *left, const struct lens *lens, int x, int y, int right[CHANNELS])
{
	int sums[CHANNELS], count = 1, widest = widest_around(lens, x, y), away[2];
	for (int c = 0; c < CHANNELS; c++)
		sums[c] = colour(left, x, y, c);
	for (int sample = 0; sample < SAMPLES; sample++)
		if (sampled(lens, x, y, sample, widest, away)) {
			count++;
			for (int c = 0; c < CHANNELS; c++)
				sums[c] += colour(left, x + away[0], y + away[1], c);
		}
	for (int c = 0; c < CHANNELS; c++)
		right[c] = (sums[c] + count / 2) / count;
}

/* The filter's picture; its values are the caller's. */
static struct picture run(const struct compiled *compiled, const struct picture *left, const struct picture *right, int32_t focus, int32_t aperture)
{
	struct picture out = picture_new(left->width, left->height);
	const struct picture *const all[] = {left, right, &out};
	struct halide_dimension_t dims[3][3];
	struct halide_buffer_t buffers[3];
	for (int k = 0; k < 3; k++) {
		const int width = all[k]->width, height = all[k]->height;
		dims[k][0] = (struct halide_dimension_t){0, width, 1, 0};
		dims[k][1] = (struct halide_dimension_t){0, height, width, 0};
		dims[k][2] = (struct halide_dimension_t){0, CHANNELS, width * height, 0};
		buffers[k] = buffer_of(all[k]->values, (struct halide_type_t){halide_type_uint, 8, 1}, dims[k], 3);
	}
	run_filter_with(compiled->path, (void *[]){&buffers[0], &buffers[1], &focus, &aperture, &buffers[2]}, &buffers[2]);
	return out;
}

static void assert_picture(const char *what, const struct compiled *compiled, const struct picture *got, const struct picture *right)
{
	for (int i = 0; i < got->width * got->height * CHANNELS; i++)
		if (got->values[i] != right->values[i])
			fail_msg("%s: %s: (%d, %d, %d) of %dx%d is %d, not %d", compiled->path, what, i % got->width, i / got->width % got->height, i / got->width / got->height, got->width, got->height, got->values[i], right->values[i]);
}

/* Runs it; the left picture is to come out as it was, or is not. */
static void assert_sharp(const char *what, bool sharp, const struct compiled *compiled, const struct picture *left, const struct picture *right, int32_t focus, int32_t aperture)
{
	struct picture out = run(compiled, left, right, focus, aperture);
	int different = 0;
	for (int i = 0; i < out.width * out.height * CHANNELS; i++)
		different += out.values[i] != left->values[i];
	if (sharp)
		assert_picture(what, compiled, &out, left);
	else if (different < out.width * out.height)
		fail_msg("%s: %s: only %d values of %dx%d are blurred", compiled->path, what, different, out.width, out.height);
	free(out.values);
}

static struct picture noise_of(int width, int height, uint64_t *state)
{
	struct picture picture = picture_new(width, height);
	for (int i = 0; i < width * height * CHANNELS; i++)
		picture.values[i] = (uint8_t)noise(state);
	return picture;
}

/* What is seen from the right: each pixel as many slices away as its place says, `slices` or, in squares, `others`; with noise where there is nothing. */
static struct picture moved(const struct picture *left, int slices, int others, uint64_t *state)
{
	struct picture right = noise_of(left->width + 2 * SLICES, left->height, state);
	for (int i = 0; i < left->width * left->height * CHANNELS; i++) {
		int x = i % left->width, line = i / left->width, away = (x / 24 + line % left->height / 24) % 2 ? others : slices;
		right.values[line * right.width + x + 2 * away] = left->values[i];
	}
	return right;
}

/* Smooth in places, and flat, so that some pixels are not sure of their depth. */
static void smoothen(struct picture *picture)
{
	for (int i = 0; i < picture->width * picture->height * CHANNELS; i++) {
		int x = i % picture->width, y = i / picture->width % picture->height;
		if (x / 8 % 3 == 0)
			picture->values[i] = y / 8 % 2 ? 77 : (uint8_t)(x + 3 * y);
	}
}

/* Against plain C, of a scene with two depths; everything sharp where it is in focus, or the lens has no aperture, and blurred where it is not. */
void check_lens_blur(const struct compiled *compiled, int width, int height)
{
	uint64_t state = 1;
	struct picture left = noise_of(width, height, &state), at_5 = moved(&left, 5, 5, &state), scene = noise_of(width, height, &state);
	assert_sharp("the same picture twice", true, compiled, &left, &left, 0, 8);
	assert_sharp("everything in focus", true, compiled, &left, &at_5, 5, 16);
	assert_sharp("nothing in focus", false, compiled, &left, &at_5, 9, 16);
	assert_sharp("no aperture", true, compiled, &left, &at_5, 30, 0);
	smoothen(&scene);
	struct picture scene_right = moved(&scene, 3, 11, &state), right = picture_new(width, height), out = run(compiled, &scene, &scene_right, 6, 11);
	struct plane depth = depth_of(&scene, &scene_right);
	for (int i = 0; i < width * height; i++) {
		int values[CHANNELS];
		blurred(&scene, &(struct lens){6, 11, &depth}, i % width, i / width, values);
		for (int c = 0; c < CHANNELS; c++)
			right.values[c * width * height + i] = (uint8_t)values[c];
	}
	assert_picture("two depths", compiled, &out, &right);
	for (int i = 0; i < width * height * CHANNELS; i++)
		left.values[i] = (uint8_t)(50 + 60 * (i / (width * height)));
	assert_sharp("one colour", true, compiled, &left, &at_5, 17, 16);
	free(depth.values);
	const struct picture all[] = {left, at_5, scene, scene_right, right, out};
	for (size_t k = 0; k < sizeof all / sizeof *all; k++)
		free(all[k].values);
}
