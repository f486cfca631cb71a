(method name: (_) @name) @function
(singleton_method object: (self) name: (_) @name) @function
(singleton_method object: (constant) @owner name: (_) @name) @function
(class name: (_) @name) @class
(module name: (_) @name) @module

; Name = Struct.new(…) do … end
(assignment left: (constant) @name
  right: (call receiver: (constant) @_type method: (identifier))
  (#any-of? @_type "Struct" "Class" "Data")) @class

; define_method(:name) do … end
(call method: (identifier) @_define arguments: (argument_list . [(simple_symbol) (string)] @name) block: (_)
  (#any-of? @_define "define_method" "define_singleton_method")) @function
