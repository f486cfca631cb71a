; A declarator is the function's, or a pointer or reference to it, or a pointer to a pointer.
(function_definition
  type: (_)
  declarator: [
    (function_declarator declarator: [
      (identifier) @name (field_identifier) @name (operator_name) @name (template_function name: (_) @name)])
    (_ (function_declarator declarator: [
      (identifier) @name (field_identifier) @name (operator_name) @name (template_function name: (_) @name)]))
    (_ (_ (function_declarator declarator: [
      (identifier) @name (field_identifier) @name (operator_name) @name (template_function name: (_) @name)])))
  ]
  body: (_)) @function

; Without a type: constructors, destructors, conversions, and tests of the GoogleTest family.
(function_definition
  !type
  declarator: (function_declarator declarator: [(identifier) (destructor_name)] @name)
  body: (_)
  (#not-match? @name "^(TYPED_)?TEST(_[FP])?$")) @function
(function_definition
  !type
  declarator: (function_declarator
    declarator: (identifier) @_test
    parameters: (parameter_list
      . (parameter_declaration type: (type_identifier) @owner)
      . (parameter_declaration type: (type_identifier) @name)))
  body: (_)
  (#match? @_test "^(TYPED_)?TEST(_[FP])?$")) @function
(function_definition
  declarator: (operator_cast "operator" @name type: (_) @name)
  body: (_)) @function

; Owner::name
(function_definition
  declarator: [
    (function_declarator declarator: (qualified_identifier scope: (_) @owner name: [
      (identifier) @name (destructor_name) @name (operator_name) @name (template_function name: (_) @name)]))
    (_ (function_declarator declarator: (qualified_identifier scope: (_) @owner name: [
      (identifier) @name (operator_name) @name (template_function name: (_) @name)])))
    (_ (_ (function_declarator declarator: (qualified_identifier scope: (_) @owner name: [
      (identifier) @name (operator_name) @name (template_function name: (_) @name)]))))
    (qualified_identifier scope: (_) @owner name: (operator_cast "operator" @name type: (_) @name))
  ]
  body: (_)) @function

; first::Owner::name, where `first` is a type only if it looks like one
(function_definition
  declarator: [
    (function_declarator declarator: (qualified_identifier scope: (_) @_first
      name: (qualified_identifier scope: (_) @owner name: [
        (identifier) @name (destructor_name) @name (operator_name) @name (template_function name: (_) @name)])))
    (_ (function_declarator declarator: (qualified_identifier scope: (_) @_first
      name: (qualified_identifier scope: (_) @owner name: [
        (identifier) @name (operator_name) @name (template_function name: (_) @name)]))))
  ]
  body: (_)
  (#not-match? @_first "^[A-Z]")) @function
(function_definition
  declarator: [
    (function_declarator declarator: (qualified_identifier scope: (_) @owner @_first
      name: (qualified_identifier scope: (_) @owner name: [
        (identifier) @name (destructor_name) @name (operator_name) @name (template_function name: (_) @name)])))
    (_ (function_declarator declarator: (qualified_identifier scope: (_) @owner @_first
      name: (qualified_identifier scope: (_) @owner name: [
        (identifier) @name (operator_name) @name (template_function name: (_) @name)]))))
  ]
  body: (_)
  (#match? @_first "^[A-Z]")) @function

; first::second::Owner::name
(function_definition
  declarator: [
    (function_declarator declarator: (qualified_identifier
      name: (qualified_identifier scope: (_) @_second name: (qualified_identifier scope: (_) @owner name: (_) @name))))
    (_ (function_declarator declarator: (qualified_identifier
      name: (qualified_identifier scope: (_) @_second name: (qualified_identifier scope: (_) @owner name: (_) @name)))))
  ]
  body: (_)
  (#not-match? @_second "^[A-Z]")) @function
(function_definition
  declarator: [
    (function_declarator declarator: (qualified_identifier
      name: (qualified_identifier scope: (_) @owner @_second name: (qualified_identifier
        scope: (_) @owner name: (_) @name))))
    (_ (function_declarator declarator: (qualified_identifier
      name: (qualified_identifier scope: (_) @owner @_second name: (qualified_identifier
        scope: (_) @owner name: (_) @name)))))
  ]
  body: (_)
  (#match? @_second "^[A-Z]")) @function

; auto name = [] { … }
(init_declarator declarator: (identifier) @name value: (lambda_expression)) @function

(class_specifier name: (_) @name body: (_)) @class
(struct_specifier name: (_) @name body: (_)) @struct
(union_specifier name: (_) @name body: (_)) @struct
(enum_specifier name: (_) @name body: (_)) @enum

; class MACRO Name : public Base { … }, which the grammar takes for a function
(function_definition type: (class_specifier !body) declarator: (identifier) @name body: (_)) @class
(function_definition type: (struct_specifier !body) declarator: (identifier) @name body: (_)) @struct

; typedef struct { … } name
(type_definition type: (struct_specifier !name body: (_)) declarator: (type_identifier) @name) @struct
(type_definition type: (union_specifier !name body: (_)) declarator: (type_identifier) @name) @struct
(type_definition type: (enum_specifier !name body: (_)) declarator: (type_identifier) @name) @enum
