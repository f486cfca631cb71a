(class_declaration name: (_) @name) @class
(record_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @interface
(annotation_type_declaration name: (_) @name) @interface
(enum_declaration name: (_) @name) @enum
(method_declaration name: (_) @name) @function
(constructor_declaration name: (_) @name) @function
(compact_constructor_declaration name: (_) @name) @function

; constants and variables with a class body of their own
(enum_constant name: (_) @name body: (class_body)) @scope
(variable_declarator name: (_) @name value: (object_creation_expression (class_body))) @scope
