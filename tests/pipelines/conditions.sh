# PoCL 3.1 runs some code behind a barrier twice where the barrier stands in a condition, though all threads of a block decide it alike, as OpenCL asks. Of
#
#     __kernel void k(__global int *out, const int n, __local int *s)
#     {
#      int x = get_local_id(0), y = get_local_id(1);
#      if (n > 0)
#      {
#       s[2 * x + y] = 0;
#       barrier(CLK_LOCAL_MEM_FENCE);
#       if (y < 1)
#       {
#        s[2 * x] += 1;
#        if (x < n)
#         s[2 * x + 1] += 1;
#       }
#      }
#      barrier(CLK_LOCAL_MEM_FENCE);
#      out[2 * x + y] = s[2 * x + y];
#     }
#
# with blocks of 128 x 2 threads and n = 75 the first values are 2; without the line `if (n > 0)` they are 1. Halide writes such a condition around a Func with updates
# that is computed in a block and not needed in all of them. A schedule whose output is wrong is told apart by what its own code gives without
# these conditions: right, it is PoCL's fault. Sourced with $folder, $beamwalk and $BW_BUILD set.

# conditions_around_barriers CODE: the names of the conditions of OpenCL C that a barrier stands in
conditions_around_barriers() {
	awk '/^ *if \(_[0-9]+\)$/ { condition = $2 }
	/^ *{$/ { around[++depth] = condition; condition = "" }
	/^ *}/ { depth-- }
	/^__kernel/ { depth = 0 }
	/barrier\(/ { for (d = 1; d <= depth; d++) if (around[d]) print around[d] }' "$1" | tr -d '()' | sort -u
}

# right_without_conditions PIPELINE RIGHT WRONG ESTIMATES BOUND OPTION...: whether the schedule file WRONG, compiled for OpenCL, gives what RIGHT does once no barrier
# stands in a condition, and not before.
right_without_conditions() {
	pipeline=$1 right=$2 wrong=$3 estimates=$4 bound=$5
	shift 5
	"$beamwalk" compile "$pipeline" "$@" --gpu pocl --emit code "$wrong" >"$folder/code" &&
		"$beamwalk" compile "$pipeline" "$@" --gpu pocl --emit object -o "$folder/right.so" "$right" &&
		"$beamwalk" compile "$pipeline" "$@" --gpu pocl --emit object -o "$folder/with.so" "$wrong" || return 1
	conditions=$(conditions_around_barriers "$folder/code")
	[ "$conditions" ] || return 1
	cp "$folder/with.so" "$folder/without.so"
	for condition in $conditions; do
		LC_ALL=C sed -i "s/if ($condition)\$/if ($(printf "%-${#condition}s" 1))/" "$folder/without.so"
	done
	printf '{"beamwalk-bench":2,"id":1,"do":"measure","seconds":0,"limit":300,"seed":7,"reference":"%s","objects":["%s","%s"],"bound":%s,"estimates":{%s}}\n' \
		"$folder/right.so" "$folder/with.so" "$folder/without.so" "$bound" "$estimates" | "$BW_BUILD/beamwalk-bench" >"$folder/verdicts" 2>>"$folder/code"
	[ "$(grep -o '"verdict":"[a-z]*' "$folder/verdicts" | cut -d '"' -f 4 | tr '\n' ' ')" = "wrong right " ]
}
