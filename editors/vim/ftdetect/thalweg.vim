autocmd BufRead,BufNewFile *.rules,*.facts setfiletype thalweg
