;;; emacs.el --- drives Emacs and eglot on the example workspace  -*- lexical-binding: t; -*-
;; Prints one line of JSON for each thing seen.  usage: emacs -q --batch -l emacs.el, with RECIPE, SERVER and WORKSPACE set.

;;; Code:
(require 'package)
(package-initialize)
(require 'eglot)
(require 'json)
(setq sql-lineage-command (list (getenv "SERVER"))
      sql-lineage-settings '(:dialect "bigquery")
      eglot-confirm-server-initiated-edits nil
      make-backup-files nil
      create-lockfiles nil)
(load (getenv "RECIPE"))

(defun report (what value)
  (princ (concat (json-encode `((what . ,what) (value . ,value))) "\n")))

(defun wait-for (what condition)
  (let ((end (+ (float-time) 60)) seen)
    (while (and (not (setq seen (funcall condition))) (< (float-time) end))
      (accept-process-output nil 0.05))
    (or seen (error "Waited in vain for %s" what))))

(defun open-file (name)
  (find-file (expand-file-name name (getenv "WORKSPACE")))
  ;; A batch run has no idle loop that would start what `eglot-ensure' has put off.
  (unless (eglot-current-server)
    (apply #'eglot (eglot--guess-contact)))
  (wait-for "the server" #'eglot-current-server))

(defun go (text word)
  (goto-char (point-min))
  (search-forward text)
  (goto-char (match-beginning 0))
  (search-forward word)
  (goto-char (match-beginning 0)))

(defun place ()
  `((file . ,(file-name-nondirectory (buffer-file-name)))
    (line . ,(line-number-at-pos))
    (column . ,(1+ (current-column)))
    (word . ,(thing-at-point 'symbol t))))

(defun hover ()
  (let (text)
    (eglot-hover-eldoc-function (lambda (string &rest _) (setq text string)))
    (wait-for "the hover" (lambda () (and text (substring-no-properties text))))))

(open-file "bigquery/order_lines.sql")
(report "hooks" (and (memq 'eglot-ensure sql-mode-hook) t))
(report "root" (expand-file-name (project-root (eglot--project (eglot-current-server)))))
(go "o.customer.address.city" "city")
(report "hover" (hover))
(xref-find-definitions (xref-backend-identifier-at-point 'eglot))
(report "definition" (place))

(open-file "bigquery/order_lines.sql")
(goto-char (point-max))
(insert "\nSELECT o.customer.address.")
(save-excursion (insert "\nFROM shop.orders_raw AS o;\n"))
(report "completion"
        (vconcat (mapcar #'substring-no-properties (all-completions "" (nth 2 (eglot-completion-at-point))))))
(set-buffer-modified-p nil)

(open-file "trino/alerts.sql")
(flymake-mode 1)
(report "warnings"
        (vconcat (mapcar #'flymake-diagnostic-text
                         (wait-for "the warning" (lambda () (flymake-start) (flymake-diagnostics))))))

(open-file "bigquery/send_parcels.sql")
(go "p.receiver.city" "city")
(eglot-rename "town")
(report "renamed"
        (vconcat (mapcar (lambda (name)
                           (with-current-buffer (find-file-noselect (expand-file-name name (getenv "WORKSPACE")))
                             (buffer-substring-no-properties (point-min) (point-max))))
                         '("bigquery/tables.sql" "bigquery/send_parcels.sql"))))
;;; emacs.el ends here
