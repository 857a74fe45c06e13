# Reads `nm -A` of a folder's objects and prints the number of files in the largest circle of calls, and these files.
# Object files are told apart by name; a symbol that several define counts for the last one.
{
	file = $1
	sub(/:.*/, "", file)
	sub(/.*[\/-]/, "", file)
	sub(/\.o$/, "", file)
	if (!(file in number)) {
		number[file] = ++n
		name[n] = file
	}
	kind = $(NF - 1)
	if (kind == "U")
		wants[number[file], ++wanted[number[file]]] = $NF
	else if (kind ~ /^[TDBRVW]$/)
		owner[$NF] = number[file]
}
END {
	for (i = 1; i <= n; i++)
		for (k = 1; k <= wanted[i]; k++)
			if ((wants[i, k] in owner) && owner[wants[i, k]] != i)
				calls[i, owner[wants[i, k]]] = 1
	for (via = 1; via <= n; via++)
		for (i = 1; i <= n; i++)
			if (calls[i, via])
				for (j = 1; j <= n; j++)
					if (calls[via, j])
						calls[i, j] = 1
	for (i = 1; i <= n; i++) {
		members = 0
		list = ""
		for (j = 1; j <= n; j++)
			if (calls[i, j] && calls[j, i]) {
				members++
				list = list " " name[j]
			}
		if (members > most) {
			most = members
			of = list
		}
	}
	print most + 0 of
}
