// What tells the words of a language apart. `c`: comments to the end of the line; `b`: blocks of comments; `s`: quotes of
// strings that end with the line; `m`: those that go on; `k`: keywords. A language that is not here is shown as text.

const list = (words) => new Set(words.split(" "));
const SLASHES = { c: ["//"], b: [["/*", "*/"]] };
const ECMASCRIPT = {
  ...SLASHES,
  s: ['"', "'"],
  m: [["`", "`"]],
  k: list(
    "abstract any as async await boolean break case catch class const continue debugger declare default delete do else enum export extends false finally for from function get if implements import in infer instanceof interface keyof let namespace never new null number of package private protected public readonly return satisfies set static string super switch symbol this throw true try type typeof undefined unknown var void while with yield",
  ),
};
const C =
  "auto bool break case char const continue default do double else enum extern false float for goto if inline int long NULL nullptr register restrict return short signed sizeof static struct switch true typedef union unsigned void volatile while";

export const LANGUAGES = {
  python: {
    c: ["#"],
    s: ['"', "'"],
    m: [
      ['"""', '"""'],
      ["'''", "'''"],
    ],
    decorator: true,
    k: list(
      "and as assert async await break case class continue def del elif else except False finally for from global if import in is lambda match None nonlocal not or pass raise return self cls True try type while with yield",
    ),
  },
  javascript: ECMASCRIPT,
  typescript: { ...ECMASCRIPT, decorator: true },
  tsx: ECMASCRIPT,
  java: {
    ...SLASHES,
    s: ['"'],
    m: [['"""', '"""']],
    h: true,
    decorator: true,
    k: list(
      "abstract assert boolean break byte case catch char class const continue default do double else enum extends false final finally float for if implements import instanceof int interface long native new null package private protected public record return sealed short static strictfp super switch synchronized this throw throws transient true try var void volatile while yield",
    ),
  },
  go: {
    ...SLASHES,
    s: ['"'],
    m: [["`", "`"]],
    h: true,
    k: list(
      "any bool break byte case chan const continue default defer else error fallthrough false float64 for func go goto if import int int64 interface iota map nil package range return rune select string struct switch true type uint64 var",
    ),
  },
  rust: {
    ...SLASHES,
    s: ['"'],
    h: true,
    k: list(
      "as async await bool break const continue crate dyn else enum extern false fn for i32 i64 if impl in let loop match mod move mut pub ref return self Self static str struct super trait true type u8 u32 u64 unsafe use usize where while",
    ),
  },
  c: { ...SLASHES, s: ['"'], h: true, macro: true, k: list(C) },
  cpp: {
    ...SLASHES,
    s: ['"'],
    h: true,
    macro: true,
    k: list(
      `${C} alignas alignof catch class concept consteval constexpr constinit co_await co_return co_yield decltype delete explicit export final friend mutable namespace new noexcept operator override private protected public requires static_assert static_cast template this thread_local throw try typename using virtual wchar_t`,
    ),
  },
  csharp: {
    ...SLASHES,
    s: ['"'],
    m: [['"""', '"""']],
    h: true,
    k: list(
      "abstract as async await base bool break byte case catch char class const continue decimal default delegate do double else enum event explicit extern false finally fixed float for foreach get if implicit in int interface internal is lock long namespace new null object operator out override params partial private protected public readonly record ref return sealed set short sizeof static string struct switch this throw true try typeof uint ulong unsafe using value var virtual void volatile when where while yield",
    ),
  },
  ruby: {
    c: ["#"],
    s: ['"', "'"],
    k: list(
      "alias and attr_accessor attr_reader begin BEGIN break case class def defined? do else elsif end ensure extend false for if in include module next nil not or private protected public raise redo require rescue retry return self super then true undef unless until when while yield",
    ),
  },
  php: {
    c: ["//", "#"],
    b: [["/*", "*/"]],
    m: [
      ['"', '"'],
      ["'", "'"],
    ],
    k: list(
      "abstract and array as bool break callable case catch class clone const continue declare default do echo else elseif empty enum extends false final finally fn for foreach function global if implements include instanceof insteadof int interface isset list match namespace new null or print private protected public readonly require return self static string switch throw trait true try unset use var void while yield",
    ),
  },
  kotlin: {
    ...SLASHES,
    s: ['"'],
    m: [['"""', '"""']],
    h: true,
    decorator: true,
    k: list(
      "abstract actual as break by catch class companion const constructor continue crossinline data do else enum expect external false final finally for fun get if import in infix init inline inner interface internal is lateinit null object open operator out override package private protected public reified return sealed set super suspend this throw true try typealias val var vararg when where while",
    ),
  },
  scala: {
    ...SLASHES,
    s: ['"'],
    m: [['"""', '"""']],
    h: true,
    decorator: true,
    k: list(
      "abstract case catch class def do else enum export extends extension false final finally for given if implicit import lazy match new null object override package private protected return sealed super then this throw trait true try type using val var while with yield",
    ),
  },
  swift: {
    ...SLASHES,
    s: ['"'],
    m: [['"""', '"""']],
    decorator: true,
    k: list(
      "actor any as associatedtype async await break case catch class continue convenience default defer deinit do else enum extension fallthrough false fileprivate final for func get guard if import in indirect init inout internal is lazy let mutating nil nonisolated open operator override private protocol public repeat required rethrows return self Self set some static struct subscript super switch throw throws true try typealias unowned var weak where while",
    ),
  },
  bash: {
    c: ["#"],
    m: [
      ['"', '"'],
      ["'", "'"],
    ],
    k: list(
      "case do done elif else esac exit export fi for function if in local readonly return select set shift source then trap unset until while",
    ),
  },
  lua: {
    c: ["--"],
    b: [["--[[", "]]"]],
    s: ['"', "'"],
    m: [["[[", "]]"]],
    k: list(
      "and break do else elseif end false for function goto if in local nil not or repeat return self then true until while",
    ),
  },
  julia: {
    c: ["#"],
    b: [["#=", "=#"]],
    s: ['"'],
    m: [['"""', '"""']],
    decorator: true,
    k: list(
      "abstract baremodule begin break catch const continue do else elseif end export false finally for function global if import in isa let local macro missing module mutable nothing primitive quote return struct true try type using where while",
    ),
  },
  haskell: {
    c: ["--"],
    b: [["{-", "-}"]],
    s: ['"'],
    k: list(
      "as case class data default deriving do else family forall foreign hiding if import in infix infixl infixr instance let module newtype of otherwise qualified then type where",
    ),
  },
  elixir: {
    c: ["#"],
    s: ['"', "'"],
    m: [['"""', '"""']],
    decorator: true,
    k: list(
      "after alias and case catch cond def defdelegate defguard defimpl defmacro defmodule defp defprotocol defstruct do else end false fn for if import in nil not or quote raise receive require rescue true try unless unquote use when with",
    ),
  },
  zig: {
    c: ["//"],
    s: ['"'],
    h: true,
    decorator: true,
    k: list(
      "align allowzero and anyerror anytype asm async await bool break catch comptime const continue defer else enum errdefer error export extern false fn for if inline noalias null opaque or orelse packed pub resume return struct suspend switch test threadlocal true try type undefined union unreachable usingnamespace usize var void volatile while u8 u32 u64 i32 i64",
    ),
  },
};

const NAMES = {
  cpp: "C++",
  csharp: "C#",
  php: "PHP",
  tsx: "TSX",
  javascript: "JavaScript",
  typescript: "TypeScript",
  text: "Text",
};
/** A language as people write it. */
export const languageName = (name) => NAMES[name] || name.charAt(0).toUpperCase() + name.slice(1);
