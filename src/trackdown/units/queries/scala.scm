(class_definition name: (_) @name) @class
(object_definition name: (_) @name) @class
(package_object name: (_) @name) @class
(trait_definition name: (_) @name) @trait
(enum_definition name: (_) @name) @enum
(function_definition name: (_) @name) @function
(function_declaration name: (_) @name) @function
(val_definition pattern: (identifier) @name value: (lambda_expression)) @function

; given name: Type with …, given Type = …
(given_definition name: (_) @name) @class
(given_definition !name return_type: [(type_identifier) @name (generic_type type: (_) @name)]) @class

; extension (value: Type) …, val name = new Type { … }
(extension_definition parameters: (parameters
  . (parameter type: [(type_identifier) @name (generic_type type: (_) @name)]))) @scope
(val_definition pattern: (identifier) @name value: (instance_expression (template_body))) @scope
