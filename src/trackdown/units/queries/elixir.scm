(call target: (identifier) @_definer
  (arguments . [
    (identifier) @name
    (call target: (identifier) @name)
    (binary_operator left: [(identifier) @name (call target: (identifier) @name)] operator: "when")
    (binary_operator left: (identifier) operator: ["+" "-" "*" "/" "++" "--" "<>" "|>" "==" "<" ">" "<=" ">=" "&&&"
      "|||" "^^^" "~>" "~>>" "<~" "<~>" "<<~" "<|>" "<<<" ">>>"] @name)
  ])
  (#any-of? @_definer
    "def" "defp" "defmacro" "defmacrop" "defguard" "defguardp" "defdelegate" "defn" "defnp")) @function

(call target: (identifier) @_definer (arguments . (alias) @name) (do_block)
  (#eq? @_definer "defmodule")) @module
(call target: (identifier) @_definer (arguments . (alias) @name) (do_block)
  (#eq? @_definer "defprotocol")) @interface

; defimpl Protocol, for: Type defines the module Protocol.Type
(call target: (identifier) @_definer
  (arguments . (alias) @owner . (keywords (pair value: (_) @name))) (do_block)
  (#eq? @_definer "defimpl")) @module
(call target: (identifier) @_definer (arguments . (alias) @name .) (do_block)
  (#eq? @_definer "defimpl")) @module
