(module_definition name: (_) @name) @module

(struct_definition (type_head [
  (identifier) @name
  (parametrized_type_expression . (_) @name)
  (binary_expression . [(identifier) @name (parametrized_type_expression . (_) @name)])
])) @struct
(abstract_definition (type_head [
  (identifier) @name
  (parametrized_type_expression . (_) @name)
  (binary_expression . [(identifier) @name (parametrized_type_expression . (_) @name)])
])) @interface
(primitive_definition (type_head [
  (identifier) @name
  (binary_expression . (identifier) @name)
])) @struct

; function name(…)::Type where …, function Type{T}(…), function Base.name(…), function (value::Type)(…)
(function_definition (signature [
  (identifier) @name
  (call_expression . [(identifier) (field_expression) (operator)] @name)
  (call_expression . [
    (parametrized_type_expression . (_) @name)
    (parenthesized_expression (typed_expression (_)? . (_) @name .))])
  (typed_expression . (call_expression . [(identifier) (field_expression) (operator)] @name))
  (where_expression . (call_expression . [(identifier) (field_expression) (operator)] @name))
  (where_expression . (call_expression . (parametrized_type_expression . (_) @name)))
  (where_expression . (typed_expression . (call_expression . [(identifier) (field_expression) (operator)] @name)))
  (where_expression . (where_expression . (call_expression . (_) @name)))
])) @function
(macro_definition (signature (call_expression . (_) @name))) @function

; name(…) = …
(assignment . [
  (call_expression . [(identifier) (field_expression) (operator)] @name)
  (call_expression . [
    (parametrized_type_expression . (_) @name)
    (parenthesized_expression (typed_expression (_)? . (_) @name .))])
  (typed_expression . (call_expression . [(identifier) (field_expression) (operator)] @name))
  (where_expression . (call_expression . [(identifier) (field_expression) (operator)] @name))
  (where_expression . (call_expression . (parametrized_type_expression . (_) @name)))
  (where_expression . (typed_expression . (call_expression . [(identifier) (field_expression) (operator)] @name)))
]) @function

; name = x -> …
(assignment . (identifier) @name (arrow_function_expression) .) @function
