(function_declaration name: (_) @name) @function

(method_declaration
  receiver: (parameter_list (parameter_declaration type: [
    (type_identifier) @owner
    (generic_type type: (_) @owner)
    (pointer_type [(type_identifier) @owner (generic_type type: (_) @owner)])
    (parenthesized_type (pointer_type (type_identifier) @owner))
  ]))
  name: (_) @name) @function

(type_spec name: (_) @name type: (struct_type)) @struct
(type_spec name: (_) @name type: (interface_type)) @interface
(interface_type (method_elem name: (_) @name) @function)

; var name = func …, name := func …
(var_spec name: (_) @name value: (expression_list . (func_literal) .)) @function
(short_var_declaration left: (expression_list . (identifier) @name .)
  right: (expression_list . (func_literal) .)) @function
