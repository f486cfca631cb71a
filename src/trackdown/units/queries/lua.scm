(function_declaration name: [
  (identifier) @name
  (dot_index_expression table: (_) @owner field: (_) @name)
  (method_index_expression table: (_) @owner method: (_) @name)
]) @function

; name = function …, owner.name = function …
(assignment_statement
  (variable_list . name: [(identifier) @name (dot_index_expression table: (_) @owner field: (_) @name)] .)
  (expression_list . value: (function_definition) .)) @function
(field name: (_) @name value: (function_definition)) @function

; name = { … }
(assignment_statement
  (variable_list . name: [(identifier) (dot_index_expression)] @name .)
  (expression_list . value: (table_constructor) .)) @scope
(field name: (_) @name value: (table_constructor)) @scope
