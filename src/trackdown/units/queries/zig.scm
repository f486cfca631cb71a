(function_declaration name: (_) @name body: (_)) @function
(variable_declaration (identifier) @name (struct_declaration)) @struct
(variable_declaration (identifier) @name (union_declaration)) @struct
(variable_declaration (identifier) @name (enum_declaration)) @enum
