#include "tests/pipeline/wide.h"

void bw_put_wide(struct bw_text *text, int n, int readers)
{
	bw_text_puts(text, "{\"beamwalk-pipeline\":1,\"name\":\"wide\",\"halide\":\"14\",\"inputs\":[");
	for (int i = 0; i < n; i++)
		bw_text_printf(text, "%s{\"name\":\"i%d\",\"types\":[\"bool\"],\"dims\":[],\"estimate\":[]}", i ? ",\n" : "", i);
	bw_text_puts(text, "],\"funcs\":[");
	for (int f = 0; f < readers; f++) {
		bw_text_printf(text, "%s\n{\"name\":\"f%d\",\"handle\":%d,\"definition\":\"0000000000000000\",\"types\":[\"bool\"],\"dims\":[],%s\"stages\":[{\"loops\":[],\"store\":[],\"reads\":[", f ? "," : "", f, f,
			f == readers - 1 ? "\"output\":true,\"estimate\":[]," : "");
		for (int i = 0; i < n; i++)
			bw_text_printf(text, "%s{\"from\":\"i%d\",\"box\":[],\"loads\":[]}", i ? "," : "", i);
		if (f)
			bw_text_printf(text, ",{\"from\":\"f%d\",\"box\":[],\"loads\":[]}", f - 1);
		bw_text_puts(text, "]}]}");
	}
	bw_text_puts(text, "]}");
}
