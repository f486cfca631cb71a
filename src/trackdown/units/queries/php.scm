(function_definition name: (_) @name) @function
(method_declaration name: (_) @name) @function
(class_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @interface
(trait_declaration name: (_) @name) @trait
(enum_declaration name: (_) @name) @enum

; $name = function …, $name = fn …
(assignment_expression left: (variable_name (name) @name) right: [(anonymous_function) (arrow_function)]) @function
