(function_item name: (_) @name) @function
(trait_item body: (declaration_list (function_signature_item name: (_) @name) @function))
(macro_definition name: (_) @name) @function
(struct_item name: (_) @name) @struct
(union_item name: (_) @name) @struct
(enum_item name: (_) @name) @enum
(trait_item name: (_) @name) @trait

; impl Type, impl Trait for Type: the type without path, arguments and reference
(impl_item type: [
  (type_identifier) @name
  (primitive_type) @name
  (scoped_type_identifier name: (_) @name)
  (generic_type type: [(type_identifier) @name (scoped_type_identifier name: (_) @name)])
  (reference_type type: [
    (type_identifier) @name
    (primitive_type) @name
    (scoped_type_identifier name: (_) @name)
    (generic_type type: [(type_identifier) @name (scoped_type_identifier name: (_) @name)])
  ])
  (dynamic_type trait: (_) @name)
  (tuple_type) @name
  (array_type) @name
]) @scope

; let name = |…| { … }
(let_declaration pattern: (identifier) @name value: (closure_expression body: (block))) @function
