(function_definition name: (_) @name) @function
