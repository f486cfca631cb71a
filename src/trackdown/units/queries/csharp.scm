(class_declaration name: (_) @name) @class
(struct_declaration name: (_) @name) @struct
(record_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @interface
(enum_declaration name: (_) @name) @enum
(method_declaration name: (_) @name) @function
(local_function_statement name: (_) @name) @function
(constructor_declaration name: (_) @name) @function
(destructor_declaration "~" @name name: (_) @name) @function
(operator_declaration "operator" @name operator: _ @name) @function
(conversion_operator_declaration "operator" @name type: (_) @name) @function
(indexer_declaration "this" @name) @function

; properties and events with code
(property_declaration name: (_) @name value: (arrow_expression_clause)) @function
(property_declaration name: (_) @name accessors: (accessor_list (accessor_declaration body: (_)))) @function
(event_declaration name: (_) @name accessors: (accessor_list (accessor_declaration body: (_)))) @function
