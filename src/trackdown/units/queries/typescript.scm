; JavaScript (which the TSX grammar parses, so that Flow's types do no harm), TypeScript and TSX.

(function_declaration name: (_) @name) @function
(generator_function_declaration name: (_) @name) @function
(function_signature name: (_) @name) @function
(class_declaration name: (_) @name) @class
(abstract_class_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @interface
(enum_declaration name: (_) @name) @enum
(method_definition name: (_) @name) @function
(abstract_method_signature name: (_) @name) @function
(class_body (method_signature name: (_) @name) @function)
(interface_body (method_signature name: (_) @name) @function)

; const name = () => …, let name = function …, var name = other || function …, const name = (() => …) as Type
(variable_declarator name: (identifier) @name
  value: [
    (arrow_function) (function_expression) (generator_function)
    (binary_expression [(arrow_function) (function_expression)])
    (ternary_expression [(arrow_function) (function_expression)])
    (parenthesized_expression [(arrow_function) (function_expression)])
    (as_expression [(arrow_function) (function_expression)
      (parenthesized_expression [(arrow_function) (function_expression)])])
    (satisfies_expression [(arrow_function) (function_expression)
      (parenthesized_expression [(arrow_function) (function_expression)])])
  ]) @function
(variable_declarator name: (identifier) @name value: (class)) @class

; const Name = wrapper(() => …), const name = useCallback(() => …), const Name = memo(forwardRef(() => …))
(variable_declarator name: (identifier) @name
  value: (call_expression
    function: (_) @_wrapper
    arguments: (arguments [
      (arrow_function) (function_expression)
      (call_expression arguments: (arguments . [(arrow_function) (function_expression)]))
    ]))
  (#match? @_wrapper
    "^([Rr]eact\\.|_\\.|lodash\\.)?(memo|forwardRef|lazy|observer|useCallback|useEvent|debounce|throttle|memoize|once|cache|wrap[A-Z]\\w*|with[A-Z]\\w*|async\\w*|create\\w+|define\\w+)$")) @function

; what stands inside belongs to the name: const name = { … }, const name = create({ … }), var name = (function () { … })()
(variable_declarator name: (identifier) @name
  value: [
    (object)
    (as_expression (object))
    (satisfies_expression (object))
    (call_expression arguments: (arguments (object)))
    (new_expression arguments: (arguments (object)))
    (call_expression function: (parenthesized_expression [(function_expression) (arrow_function)]))
  ]) @scope
(pair key: (_) @name value: (object)) @scope
(public_field_definition name: (_) @name value: (object)) @scope

; { name: function …, name: () => … } and class fields that hold functions
(pair key: (_) @name value: [(arrow_function) (function_expression) (generator_function)]) @function
(public_field_definition name: (_) @name value: [(arrow_function) (function_expression) (generator_function)]) @function

; name = function …, this.name = function …
(assignment_expression left: (identifier) @name
  right: [(arrow_function) (function_expression) (generator_function)]) @function
(assignment_expression left: (identifier) @name right: (class)) @class
(assignment_expression
  left: (member_expression object: (this) property: (_) @name)
  right: [(arrow_function) (function_expression) (generator_function)]) @function

; object.name = function …; what hangs on `exports` or `module` has no owner
(assignment_expression
  left: (member_expression object: (identifier) @owner property: (_) @name)
  right: [(arrow_function) (function_expression) (generator_function)]
  (#not-match? @owner "^(exports|module)$")) @function
(assignment_expression
  left: (member_expression object: (identifier) @_exports property: (_) @name)
  right: [(arrow_function) (function_expression) (generator_function)]
  (#eq? @_exports "exports")) @function
(assignment_expression
  left: (member_expression object: (identifier) @_module property: (_) @name)
  right: [(arrow_function) (function_expression !name) (generator_function)]
  (#eq? @_module "module")) @function
(assignment_expression
  left: (member_expression object: (identifier) @_module)
  right: (function_expression name: (_) @name)
  (#eq? @_module "module")) @function
(assignment_expression
  left: (member_expression object: (_) @owner property: (_) @name) right: (class)
  (#not-match? @owner "^(module|(module\\.)?exports)$")) @class
(assignment_expression
  left: (member_expression object: (_) @_exports property: (_) @name) right: (class)
  (#match? @_exports "^(module\\.)?exports$")) @class
(assignment_expression
  left: (member_expression object: (identifier) @_module property: (_) @name) right: (class !name)
  (#eq? @_module "module")) @class
(assignment_expression
  left: (member_expression object: (identifier) @_module) right: (class name: (_) @name)
  (#eq? @_module "module")) @class
(assignment_expression
  left: (member_expression object: (identifier) @owner property: (_) @name)
  right: (object)
  (#not-eq? @name "prototype")
  (#not-match? @owner "^(exports|module)$")) @scope
(assignment_expression
  left: (member_expression object: [(identifier) (this) (member_expression)] @_object property: (_) @name)
  right: (object)
  (#match? @_object "^((module\\.)?exports|this)$")) @scope
(assignment_expression
  left: (member_expression object: (member_expression) @owner property: (_) @name)
  right: (object)
  (#not-eq? @name "prototype")
  (#not-eq? @owner "module.exports")) @scope

; Owner.prototype.name = function …, a.b.name = function …, module.exports.name = function …
(assignment_expression
  left: (member_expression
    object: (member_expression object: (_) @owner property: (_) @_prototype)
    property: (_) @name)
  right: [(arrow_function) (function_expression) (generator_function)]
  (#eq? @_prototype "prototype")) @function
(assignment_expression
  left: (member_expression object: (member_expression property: (_) @_property) @owner property: (_) @name)
  right: [(arrow_function) (function_expression) (generator_function)]
  (#not-match? @_property "^(prototype|exports)$")) @function
(assignment_expression
  left: (member_expression object: (member_expression property: (_) @_exports) property: (_) @name)
  right: [(arrow_function) (function_expression) (generator_function)]
  (#eq? @_exports "exports")) @function

; Owner.prototype = { … }, Object.assign(Owner.prototype, { … })
(assignment_expression
  left: (member_expression object: (_) @name property: (_) @_prototype)
  right: (object)
  (#eq? @_prototype "prototype")) @scope
(arguments . (member_expression object: (_) @name property: (_) @_prototype)
  (object) @scope
  (#eq? @_prototype "prototype"))

; export default function …, export default memo(() => …), classes that a function returns
(export_statement "default" @name value: [(arrow_function) (function_expression !name) (generator_function !name)] @function)
(export_statement "default" value: [(function_expression name: (_) @name) (generator_function name: (_) @name)] @function)
(export_statement "default" @name value: (class !name) @class)
(export_statement "default" value: (class name: (_) @name) @class)
(export_statement "default" @name
  value: (call_expression arguments: (arguments . [(arrow_function) (function_expression !name)])) @function)
(export_statement "default"
  value: (call_expression arguments: (arguments . (function_expression name: (_) @name))) @function)
(return_statement (class name: (_) @name) @class)
(arrow_function body: (class name: (_) @name) @class)
