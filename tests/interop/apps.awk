# Writes the table of apps.sh. Each line of the input is the name of an app and a line of its figures
# (app.sh). Costs found here are medians of the seeds and shares of Halide's cost, with the least and
# the most in brackets. Halide's cost is that of its default search, else the median of its sampled
# one; where there is none, the brackets are shares of the median. * marks a schedule that Halide cannot
# compile.

function sort(values, n, i, j, t)
{
	for (i = 2; i <= n; i++)
		for (j = i; j > 1 && values[j - 1] > values[j]; j--) {
			t = values[j]
			values[j] = values[j - 1]
			values[j - 1] = t
		}
}

# The costs of a search, in ascending order; returns how many there are.
function costs_of(app, who, search, values, i)
{
	split("", values)
	for (i = 1; i <= n[app, who, search]; i++)
		values[i] = cost[app, who, search, i]
	sort(values, i - 1)
	return i - 1
}

function median(values, n)
{
	return (values[int((n + 1) / 2)] + values[int(n / 2) + 1]) / 2
}

function short(cost)
{
	return sprintf(cost < 0.1 ? "%.5f" : "%.3f", cost)
}

# Counts a share for the lines below the table.
function count(group, share)
{
	shares[group]++
	logs[group] += log(share)
	if (!(group in worst) || share > worst[group])
		worst[group] = share
}

# A cell of the table.
function cell(app, search, reference, values, unused, m, middle)
{
	m = costs_of(app, "beamwalk", search, values)
	if (!m)
		return sprintf("  %-28s", (app, "beamwalk", search) in failed ? "did not end" : "-")
	middle = median(values, m)
	if (!reference)
		return sprintf("  %10s %-17s", short(middle), sprintf("     (%.2f-%.2f)", values[1] / middle, values[m] / middle))
	count(search " all", middle / reference)
	if (costs_of(app, "halide", "default", unused))
		count(search " default", middle / reference)
	if (m == 1)
		return sprintf("  %10s %-17s", short(middle), sprintf("%.2f", middle / reference))
	return sprintf("  %10s %-17s", short(middle), sprintf("%.2f (%.2f-%.2f)", middle / reference, values[1] / reference, values[m] / reference))
}

!($1 in known) { known[$1] = 1; apps[++n_apps] = $1 }
$5 == "-" { failed[$1, $2, $3] = $6; said[$1, $2, $3, $4] = $0; next }
$2 == "costed" { costed[$1, $3] = $5; next }
$2 == "halide" && $7 { uncompiled[$1, $3] = 1; said[$1, $2, $3, $4] = $0 }
{ cost[$1, $2, $3, ++n[$1, $2, $3]] = $5 + 0; seconds[$1, $2, $3] += $6; if ($2 == "halide") own[$1, $3 $4] = $5 }

END {
	n_searches = split("default passes5 off polish0", searches, " ")
	printf "%-24s %10s %-14s", "app", "Halide", " seconds"
	for (s = 1; s <= n_searches; s++)
		printf "  %-28s", "    " searches[s]
	printf "\n"
	for (a = 1; a <= n_apps; a++) {
		app = apps[a]
		if (m = costs_of(app, "halide", "default", values))
			time = sprintf(" %.1f%s", seconds[app, "halide", "default"], (app, "default") in uncompiled ? " *" : "")
		else if (m = costs_of(app, "halide", "sampled", values))
			time = sprintf(" %.1f sampled%s", seconds[app, "halide", "sampled"] / m, (app, "sampled") in uncompiled ? " *" : "")
		reference = m ? median(values, m) : 0
		line = sprintf("%-24s %10s %-14s", app, m ? short(reference) : "-", m ? time : "")
		for (s = 1; s <= n_searches; s++)
			line = line cell(app, searches[s], reference)
		sub(/ +$/, "", line)
		print line
	}
	for (k = split("default all", groups, " "); k; k--) {
		mean = most = ""
		for (s = 1; s <= n_searches; s++) {
			group = searches[s] " " groups[k]
			if (!shares[group])
				continue
			mean = mean sprintf("  %10s %-17s", "", sprintf("%.3f", exp(logs[group] / shares[group])))
			most = most sprintf("  %10s %-17s", "", sprintf("%.2f", worst[group]))
		}
		printf "%-50s%s\n", "geometric mean of " shares[searches[1] " " groups[k]] (groups[k] == "all" ? "" : " beside Halide's default"), mean
		printf "%-50s%s\n", "the most", most
	}
	printf "\n"

	for (a = 1; a <= n_apps; a++)
		for (s = 1; s <= n_searches; s++)
			if ((m = costs_of(apps[a], "beamwalk", searches[s], values)) && values[m] > 1.1 * values[1])
				printf "spread %.2f: %s, %s\n", values[m] / values[1], apps[a], searches[s]
	for (key in said)
		print "not as others: " said[key] | "sort"
	close("sort")
	for (a = 1; a <= n_apps; a++) {
		if (m = costs_of(apps[a], "halide", "sampled", values))
			printf "sampled by Halide: %s %.3f (%.3f-%.3f, %d seeds)\n", apps[a], median(values, m), values[1], values[m], m
		for (k = split("default- greedy- sampled0 sampled1 sampled2 sampled3 sampled4", searches, " "); k; k--) {
			x = own[apps[a], searches[k]]
			search = searches[k]
			sub(/-/, "", search)
			y = costed[apps[a], search]
			if ((apps[a], search) in costed && (x - y > 1e-4 * x || y - x > 1e-4 * x))
				printf "the nest costs %s here, and %s there: %s %s\n", y, x, apps[a], search
		}
	}
}
