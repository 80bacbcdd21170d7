" Rules and facts of Thalweg.
if exists("b:current_syntax")
  finish
endif

syntax match thalwegPredicate /\<\a\w*\(:\a\w*\)\?\ze\s*(/
syntax match thalwegVariable /\<[A-Z_]\w*\>\ze\s*[,)}<>=!+*\/-]/
syntax match thalwegNumber /\<\d\+\([.\/]\d\+\)\?\(ns\|us\|ms\|sec\|s\|min\|h\|d\)\?\>/
syntax match thalwegOperator /\<\([Dd]iamondminus\|[Dd]iamondplus\|[Dd]iamond\|[Bb]oxminus\|[Bb]oxplus\|[Bb]ox\|[Ss]ince\|[Uu]ntil\)\ze\s*[[(]/
syntax match thalwegOperator /\<window\ze\s*[[0-9]/
syntax match thalwegOperator /\<\(count\|sum\|min\|max\|avg\)\ze\s*{/
syntax match thalwegSymbol /:-\|←\|→\|[⊟⊞⊡□◇¬∧∨∃⊤⊥∞≠≤≥×÷−]\|<->\|<+>\|\[-\]\|\[+\]\|[<>=]=\|!=\|@/
syntax match thalwegDeclaration /\(^\|\.\s\+\)\zs\(input\|background\|output\|predicate\|timeline\|unit\|tick\|delay\|probability\|time\|const\)\ze\s\+\w/
syntax match thalwegType /:\s*\zs\(any\|string\|integer\|number\|boolean\|time\)\>/
syntax keyword thalwegKeyword not and or implies some all at exists last next slide tuples tuple per of stream
syntax keyword thalwegConstant top Top bottom Bottom inf
syntax match thalwegString /"\([^"\\]\|\\.\)*"/
syntax match thalwegComment /\(%\|#\|\/\/\).*$/

highlight default link thalwegPredicate Function
highlight default link thalwegVariable Identifier
highlight default link thalwegNumber Number
highlight default link thalwegOperator Operator
highlight default link thalwegSymbol Operator
highlight default link thalwegDeclaration Keyword
highlight default link thalwegType Type
highlight default link thalwegKeyword Keyword
highlight default link thalwegConstant Constant
highlight default link thalwegString String
highlight default link thalwegComment Comment

setlocal commentstring=%\ %s
let b:current_syntax = "thalweg"
