; the enum before the class: both match, and the first one counts
(class_declaration name: (_) @name (enum_class_body)) @enum
(class_declaration (modifiers (class_modifier "enum")) "class" name: (_) @name) @enum
(class_declaration "class" name: (_) @name) @class
(class_declaration "interface" name: (_) @name) @interface
(object_declaration name: (_) @name) @class

(function_declaration "fun" . name: (_) @name) @function
(function_declaration "fun" . (type_parameters) . name: (_) @name) @function
(function_declaration [(user_type) @owner (nullable_type (user_type) @owner)] . "." . name: (_) @name) @function
(secondary_constructor "constructor" @name) @function

; properties with code, and those that hold a function
(property_declaration ["val" "var"] . (variable_declaration . (identifier) @name)
  [(getter (function_body)) (setter (function_body)) (lambda_literal) (anonymous_function)]) @function
(property_declaration [(user_type) @owner (nullable_type (user_type) @owner)] . "." .
  (variable_declaration . (identifier) @name) (getter (function_body))) @function

; enum constants and properties with a class body of their own
(enum_entry (identifier) @name (class_body)) @scope
(property_declaration (variable_declaration . (identifier) @name) (object_literal)) @scope
