(function name: [(variable) @name (prefix_id (_) @name)]) @function
(function (infix operator: [(operator) @name (infix_id (_) @name)]) match: (_)) @function

; values, where they are not local
(declarations (bind name: [(variable) @name (prefix_id (_) @name)]) @function)
(class_declarations (bind name: (_) @name) @function)
(instance_declarations (bind name: (_) @name) @function)
(class_declarations (signature name: [(variable) @name (prefix_id (_) @name)]) @function)

(data_type name: (_) @name) @class
(newtype name: (_) @name) @class
(class name: (_) @name) @trait

; what an instance defines belongs to its type
(instance patterns: (type_patterns . [
  (name) @name
  (parens (apply constructor: (_) @name))
  (parens (name) @name)
  (list) @name
  (tuple) @name
  (unit) @name
])) @scope
