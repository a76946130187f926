;;; sql-lineage.el --- sql-lineage-ls in eglot  -*- lexical-binding: t; -*-

;; (load "/path/to/sql-lineage-ls/editors/emacs/sql-lineage.el")

;;; Code:

(require 'project)

(defvar eglot-server-programs)

(defgroup sql-lineage nil
  "Where columns of SQL come from, and who uses them."
  :group 'tools)

(defcustom sql-lineage-command '("sql-lineage-ls")
  "The command that starts the server."
  :type '(repeat string))

(defcustom sql-lineage-settings nil
  "The server's settings as a property list, for example (:dialect \"trino\").
A file sql-lineage.toml in the folder does the same for every editor."
  :type 'plist)

(defun sql-lineage--contact (&rest _)
  "The command for eglot, with the settings."
  (if sql-lineage-settings
      (append sql-lineage-command (list :initializationOptions sql-lineage-settings))
    sql-lineage-command))

(defun sql-lineage--find-root (directory)
  "The project of DIRECTORY: the folder above that holds a sql-lineage.toml."
  (let ((root (locate-dominating-file directory "sql-lineage.toml")))
    (and root (cons 'transient root))))

(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs '(sql-mode . sql-lineage--contact)))

(add-hook 'project-find-functions #'sql-lineage--find-root)
(add-hook 'sql-mode-hook #'eglot-ensure)

(provide 'sql-lineage)
;;; sql-lineage.el ends here
