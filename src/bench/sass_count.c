/* Finds how often each basic block of SASS runs. ptxas unrolls, joins and moves code, but each instruction
 * keeps its line of the PTX. ptxas may copy a block of PTX several times. Each copy has a line's loads and
 * stores once, so these tell the number of copies. The copies share the runs of the block of PTX evenly. A
 * block of SASS that contains such a copy runs as often as that copy. Any other block of SASS runs as
 * seldom as the rarest block of PTX from which it has instructions, because the other instructions were
 * moved there. */
#include <stdlib.h>

#include "base/arith.h"
#include "bench/sass.h"

/* A basic block of PTX. */
struct source {
	int line;       /* its first line */
	double runs;    /* how often warps run it, the mean over its instructions */
	int anchors[3]; /* per rank (rank_of): number of its lines that occur in the SASS */
	double copies;  /* number of its copies in the SASS */
};

struct counting {
	struct bw_sass_kernel *kernel;
	struct source *sources; /* sorted by line */
	int n_sources, n_lines;
	uint8_t *kinds;   /* per line of the PTX: enum bw_sass_kind */
	int *seen;        /* per line of the PTX: number of SASS instructions of its kind that have this
			     line */
	bool *begins;     /* per SASS instruction: a block begins there */
	bool *reached;    /* per SASS instruction: it can be reached from the first one */
	double *here;     /* per source: copies in the current block of SASS */
};

/* Returns the kind of SASS instruction to which an instruction of PTX compiles, if it compiles to one. */
static enum bw_sass_kind kind_of_line(const char *line)
{
	static const struct {
		const char *begins;
		enum bw_sass_kind kind;
	} words[] = {{"ld.global", BW_SASS_GLOBAL_LOAD}, {"st.global", BW_SASS_GLOBAL_STORE}, {"ld.shared", BW_SASS_SHARED_LOAD},
	             {"st.shared", BW_SASS_SHARED_STORE}, {"ld.volatile.shared", BW_SASS_SHARED_LOAD},
	             {"st.volatile.shared", BW_SASS_SHARED_STORE}, {"ld.volatile.global", BW_SASS_GLOBAL_LOAD},
	             {"st.volatile.global", BW_SASS_GLOBAL_STORE}, {"fma.rn.f32", BW_SASS_FLOAT}, {"add.rn.f32", BW_SASS_FLOAT},
	             {"mul.rn.f32", BW_SASS_FLOAT}, {"add.f32", BW_SASS_FLOAT}, {"mul.f32", BW_SASS_FLOAT},
	             {"sub.f32", BW_SASS_FLOAT}};
	line += strspn(line, " \t");
	if (*line == '@') {
		line += strcspn(line, " \t\n");
		line += strspn(line, " \t");
	}
	for (size_t k = 0; k < sizeof words / sizeof *words; k++)
		if (!strncmp(line, words[k].begins, strlen(words[k].begins)))
			return words[k].kind;
	return BW_SASS_OTHER;
}

static void read_ptx(struct counting *counting, const char *ptx)
{
	int room = 0;
	for (const char *at = ptx; *at; at += strcspn(at, "\n"), at += *at == '\n') {
		BW_PUSH(counting->kinds, counting->n_lines, room, (uint8_t)kind_of_line(at));
	}
	counting->seen = BW_NEW_ARRAY(int, counting->n_lines + 1);
}

BW_ORDER(by_line, struct source, BW_COMPARE(a->line, b->line))

/* Reads the blocks of PTX from the counted parts. Returns false if they have no lines, which older workers do
 * not send. */
static bool read_sources(struct counting *counting, const struct bw_counted_kernel *counted)
{
	counting->sources = BW_NEW_ARRAY(struct source, counted->n_parts + 1);
	for (int k = 0; k < counted->n_parts; k++) {
		const struct bw_counted_part *part = &counted->parts[k];
		if (!part->line)
			return false;
		counting->sources[counting->n_sources++] =
			(struct source){.line = part->line,
		                        .runs = part->length ? (double)part->counts.instructions / part->length : 0};
	}
	qsort(counting->sources, (size_t)counting->n_sources, sizeof *counting->sources, by_line);
	return counting->n_sources;
}

/* Returns the index of the block of PTX that contains a line. Returns -1 if there is none. */
static int source_of(const struct counting *counting, int line)
{
	int low = 0, high = counting->n_sources;
	if (line < 1 || line > counting->n_lines)
		return -1;
	while (low < high) {
		int middle = (low + high) / 2;
		if (counting->sources[middle].line <= line)
			low = middle + 1;
		else
			high = middle;
	}
	return low - 1;
}

/* Returns true if an instruction occurs once in each copy of its line. */
static bool is_anchor(const struct counting *counting, const struct bw_sass_instruction *it)
{
	return it->line > 0 && it->line <= counting->n_lines && it->kind == counting->kinds[it->line - 1] &&
	       it->kind != BW_SASS_NOTHING;
}

/* Returns how exactly instructions of a kind tell the number of copies; 0: best. ptxas may join float
 * arithmetic, and may compile any other instruction to none or several. */
static int rank_of(enum bw_sass_kind kind)
{
	return kind == BW_SASS_OTHER ? 2 : kind == BW_SASS_FLOAT ? 1 : 0;
}

static int best_rank(const struct source *source)
{
	return source->anchors[0] ? 0 : source->anchors[1] ? 1 : 2;
}

static void find_blocks(struct counting *counting)
{
	const struct bw_sass_kernel *kernel = counting->kernel;
	int *waiting = BW_NEW_ARRAY(int, 2 * (size_t)kernel->n + 2), n = 0;
	counting->begins = BW_NEW_ARRAY(bool, kernel->n + 1);
	counting->reached = BW_NEW_ARRAY(bool, kernel->n + 1);
	waiting[n++] = 0;
	counting->begins[0] = true;
	while (n) {
		int k = waiting[--n];
		for (; k < kernel->n && !counting->reached[k]; k++) {
			const struct bw_sass_instruction *it = &kernel->code[k];
			counting->reached[k] = true;
			if (it->flow == BW_SASS_ON)
				continue;
			counting->begins[k + 1] = true;
			if (it->flow == BW_SASS_BRANCH && it->target >= 0) {
				counting->begins[it->target] = true;
				waiting[n++] = it->target;
			}
			if (!it->predicated)
				break;
		}
	}
	free(waiting);
}

/* Counts the copies of each block of PTX, from its instructions of the best rank. */
static void find_anchors(struct counting *counting)
{
	const struct bw_sass_kernel *kernel = counting->kernel;
	for (int k = 0; k < kernel->n; k++)
		if (counting->reached[k] && is_anchor(counting, &kernel->code[k]))
			counting->seen[kernel->code[k].line - 1]++;
	for (int line = 1; line <= counting->n_lines; line++) {
		int source = counting->seen[line - 1] ? source_of(counting, line) : -1;
		if (source >= 0)
			counting->sources[source].anchors[rank_of(counting->kinds[line - 1])]++;
	}
	for (int k = 0; k < kernel->n; k++) {
		bool is_one = counting->reached[k] && is_anchor(counting, &kernel->code[k]);
		int source = is_one ? source_of(counting, kernel->code[k].line) : -1;
		struct source *of = source < 0 ? NULL : &counting->sources[source];
		if (of && rank_of(kernel->code[k].kind) == best_rank(of))
			of->copies += 1.0 / of->anchors[best_rank(of)];
	}
}

static double share_of(const struct source *source)
{
	return source->runs / (source->copies > 1 ? source->copies : 1);
}

/* Returns how often the block of SASS in [begin, end) runs. */
static double runs_of(struct counting *counting, int begin, int end)
{
	const struct bw_sass_kernel *kernel = counting->kernel;
	double most = -1, least = -1;
	for (int pass = 0; pass < 3; pass++) /* gather, judge, clear */
		for (int k = begin; k < end; k++) {
			const struct bw_sass_instruction *it = &kernel->code[k];
			int at = it->kind == BW_SASS_NOTHING ? -1 : source_of(counting, it->line);
			if (at < 0)
				continue;
			const struct source *of = &counting->sources[at];
			if (pass == 0) {
				if (is_anchor(counting, it) && rank_of(it->kind) == best_rank(of))
					counting->here[at] += 1.0 / of->anchors[best_rank(of)];
			} else if (pass == 1) {
				double share = share_of(of);
				if (counting->here[at] >= 0.5 && best_rank(of) < 2 && share > most)
					most = share;
				if (share > 0 && (least < 0 || share < least))
					least = share;
			} else {
				counting->here[at] = 0;
			}
		}
	return most >= 0 ? most : least >= 0 ? least : 0;
}

static void count(struct counting *counting, struct bw_counted_kernel *counted)
{
	struct bw_sass_kernel *kernel = counting->kernel;
	counting->here = BW_NEW_ARRAY(double, counting->n_sources);
	find_blocks(counting);
	find_anchors(counting);
	for (int begin = 0, end; begin < kernel->n; begin = end) {
		bool reached = counting->reached[begin];
		for (end = begin + 1;
		     end < kernel->n && !counting->begins[end] && counting->reached[end] == reached; end++)
			;
		double runs = reached ? runs_of(counting, begin, end) : 0;
		for (int k = begin; k < end; k++) {
			counted->sass[kernel->code[k].kind] += runs;
			kernel->code[k].runs = kernel->code[k].kind == BW_SASS_NOTHING ? 0 : runs;
		}
	}
	counted->sass[BW_SASS_NOTHING] = 0;
	counted->has_sass = bw_counted_sass(counted) > 0;
}

static bool has_lines(const struct bw_sass_kernel *kernel)
{
	for (int k = 0; k < kernel->n; k++)
		if (kernel->code[k].line)
			return true;
	return false;
}

static void count_kernel(struct bw_sass_kernel *kernel, const char *ptx,
			 struct bw_counted_kernel *counted)
{
	struct counting counting = {.kernel = kernel};
	read_ptx(&counting, ptx);
	if (read_sources(&counting, counted))
		count(&counting, counted);
	free(counting.sources);
	free(counting.kinds);
	free(counting.seen);
	free(counting.begins);
	free(counting.reached);
	free(counting.here);
}

void bw_sass_count(struct bw_sass *sass, const char *ptx, struct bw_counted *counted)
{
	for (int k = 0; k < counted->n; k++)
		for (int s = 0; s < sass->n; s++)
			if (!strncmp(counted->kernels[k].name, sass->kernels[s].name, sizeof counted->kernels[k].name - 1) &&
			    has_lines(&sass->kernels[s])) {
				count_kernel(&sass->kernels[s], ptx, &counted->kernels[k]);
				break;
			}
}
