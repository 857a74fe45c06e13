# Reads `nm -A` of a folder's objects and prints each circle of calls on a line: the number of its files and their names.
# With -v calls=1 each circle is followed by its calls: caller, callee, symbols.
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
			if ((wants[i, k] in owner) && owner[wants[i, k]] != i) {
				symbols[i, owner[wants[i, k]]] = symbols[i, owner[wants[i, k]]] " " wants[i, k]
				reaches[i, owner[wants[i, k]]] = 1
			}
	for (via = 1; via <= n; via++)
		for (i = 1; i <= n; i++)
			if (reaches[i, via])
				for (j = 1; j <= n; j++)
					if (reaches[via, j])
						reaches[i, j] = 1
	for (i = 1; i <= n; i++) {
		if (seen[i] || !reaches[i, i])
			continue
		members = 0
		list = ""
		for (j = i; j <= n; j++)
			if (reaches[i, j] && reaches[j, i]) {
				seen[j] = 1
				member[++members] = j
				list = list " " name[j]
			}
		print members list
		for (j = 1; calls && j <= members; j++)
			for (k = 1; k <= members; k++)
				if ((member[j], member[k]) in symbols)
					print "\t" name[member[j]] " -> " name[member[k]] ":" symbols[member[j], member[k]]
	}
}
