;;; thalweg-mode.el --- Rules about time  -*- lexical-binding: t -*-

;; Colours for .rules and .facts, and the language server by eglot.

;;; Code:

(defvar thalweg-mode-syntax-table
  (let ((table (make-syntax-table)))
    (modify-syntax-entry ?% "<" table)
    (modify-syntax-entry ?# "<" table)
    (modify-syntax-entry ?\n ">" table)
    (modify-syntax-entry ?\" "\"" table)
    (modify-syntax-entry ?_ "w" table)
    table))

(defconst thalweg-font-lock-keywords
  (list
   (cons (regexp-opt '("input" "background" "output" "predicate" "timeline" "unit" "tick" "delay" "probability"
                       "const")
                     'symbols)
         'font-lock-keyword-face)
   (cons (concat "\\_<" (regexp-opt '("diamondminus" "diamondplus" "diamond" "boxminus" "boxplus" "box" "since" "until"
                                      "Diamondminus" "Diamondplus" "Diamond" "Boxminus" "Boxplus" "Box" "Since" "Until"
                                      "window" "count" "sum" "min" "max" "avg"))
                 "\\_>")
         'font-lock-builtin-face)
   (cons (regexp-opt '("not" "and" "or" "implies" "some" "all" "at" "exists" "last" "next" "slide" "tuples" "tuple"
                       "per" "of" "stream")
                     'symbols)
         'font-lock-keyword-face)
   (cons (regexp-opt '("top" "Top" "bottom" "Bottom" "inf") 'symbols) 'font-lock-constant-face)
   '("\\_<[[:alpha:]][[:word:]:]*\\_>\\s-*(" 0 font-lock-function-name-face keep)
   '("\\_<[[:upper:]_][[:word:]]*\\_>" . font-lock-variable-name-face)))

;;;###autoload
(define-derived-mode thalweg-mode prog-mode "Thalweg"
  "A mode for rules and facts of Thalweg."
  (setq-local comment-start "% ")
  (setq-local font-lock-defaults '(thalweg-font-lock-keywords)))

;;;###autoload
(add-to-list 'auto-mode-alist '("\\.\\(rules\\|facts\\)\\'" . thalweg-mode))

(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs '(thalweg-mode . ("thalweg" "language-server"))))

(provide 'thalweg-mode)
;;; thalweg-mode.el ends here
