(class_declaration declaration_kind: ["class" "actor"] name: (_) @name) @class
(class_declaration declaration_kind: "struct" name: (_) @name) @struct
(class_declaration declaration_kind: "enum" name: (_) @name) @enum
(class_declaration declaration_kind: "extension" name: (_) @name) @scope
(protocol_declaration name: (_) @name) @interface

; the name of an operator is no node of its own kind
(function_declaration "func" . _ @name) @function
(protocol_function_declaration "func" . _ @name) @function
(init_declaration "init" @name) @function
(deinit_declaration "deinit" @name) @function
(subscript_declaration "subscript" @name) @function

; properties with code, and those that hold a closure or what it returns
(property_declaration name: (pattern bound_identifier: (_) @name) computed_value: (_)) @function
(property_declaration name: (pattern bound_identifier: (_) @name) (willset_didset_block)) @function
(property_declaration name: (pattern bound_identifier: (_) @name)
  value: [(lambda_literal) (call_expression . (lambda_literal))]) @function
