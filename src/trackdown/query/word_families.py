"""Words that belong together though no ending says so, and words that don't though their endings do."""

from __future__ import annotations

from collections.abc import Mapping

_TOGETHER = """
    abs absolute
    act action
    activate active
    addr address
    admin administrator administration
    alloc allocate allocator allocation
    app application
    apply application
    arg argument
    arr array
    async asynchronous asynchronously
    attr attribute
    auth authenticate authentication authorize authorization authenticator
    auto automatic automatically
    avail available availability
    avg average
    bind bound
    bool boolean
    break broke broken
    buf buffer
    build built
    calc calculate calculation calculator
    callback cb
    catch caught
    cert certificate
    cfg conf config configuration configure
    char character
    child children
    choose chose chosen choice
    cmd command
    cmp compare comparison
    col column
    color colour
    compatible compatibility
    concat concatenate concatenation
    cond condition conditional
    conn connection connect
    const constant
    conv convert conversion
    coord coordinate
    ctx context
    cur curr current
    db database
    dec decode decoder
    decide decision
    decl declare declaration
    define definition
    del delete deletion
    dep dependency dependencies
    depend dependency dependencies dependent
    desc describe description
    dest destination
    diff differ difference different
    dim dimension
    dir directory directories
    divide division
    doc document documentation
    elem element
    enc encode encoder
    enum enumerate enumeration
    env environment
    eq equal equality
    err error
    eval evaluate evaluation
    exc exception
    exec execute execution executor
    exist existence
    expand expansion
    expr expression
    ext extend extension
    fail failure
    find found
    fmt format
    fn func function
    freeze froze frozen
    freq frequency frequencies
    gen generate generator generation
    gray grey
    hide hidden
    hold held
    idx index indices indexes
    img image
    impl implement implementation
    inc increment
    include inclusion
    infer inference
    info information
    inherit inheritance
    init initialize initializer initialization initialise
    int integer
    interact interactive
    iter iterate iterator iteration iterable
    keep kept
    lang language
    len length
    lib library libraries
    loc locate location
    matrix matrices
    max maximum
    mem memory
    min minimum
    mod module
    modify modification
    msg message
    mul multiply multiplication
    nav navigate navigation
    neg negative negate
    normalize normalise normalization
    notify notification
    num number
    obj object
    occur occurrence
    op operate operator operation
    opt option optional
    optimize optimise optimization
    organize organise organization
    orig origin original
    param parameter
    perform performance
    perm permit permission
    persist persistence persistent
    pkg package
    pos position
    predict prediction
    prefer preference
    prev previous
    proc process processor
    prop property properties
    ptr pointer
    quantize quantise
    query queries
    rand random
    recurse recursive recursion recursively
    recv receive receiver
    ref refer reference
    reg register registration registry
    regex regexp
    rel relative relation relate
    remove removal rm
    replace replacement
    repo repository repositories
    repr represent representation
    req request
    resolve resolution resolver
    resp respond response
    ret return
    retrieve retrieval
    run ran
    sched schedule scheduler
    secure security
    sel select selection
    send sent
    sep separate separator
    seq sequence
    serialize serialise serialization
    sig sign signature
    simplify simplification
    spec specify specification
    src source
    srv server
    stat statistics
    std standard
    stmt statement
    str string
    sub subtract subtraction
    submit submission
    subscribe subscription
    sync synchronize synchronization synchronous synchronise
    sys system
    temp tmp temporary
    throw threw thrown
    tok token
    tx transaction
    txt text
    util utility utilities
    val value
    valid validate validation validator validity
    var variable
    vec vector
    verify verification
    version ver
    vertex vertices
    visible visibility
    write wrote written
"""

_APART = """
    author auth
    comment com
    factor fact facts
    later late
    letter let lets
    master mast
    matter mat mats
    new news
    port portion portions
    portion port ports
    setting set sets
    settings set sets
    state statement statements station
    statement state states stating stated
    statements state states stating stated
"""


def _together(text: str) -> Mapping[str, tuple[str, ...]]:
    """Word → the other words of its lines."""
    found: dict[str, tuple[str, ...]] = {}
    for words in map(str.split, text.splitlines()):
        for word in words:
            others = (*found.get(word, ()), *(other for other in words if other != word))
            found[word] = tuple(dict.fromkeys(others))
    return found


FAMILIES = _together(_TOGETHER)
"""A word → words that mean the same thing in code."""
UNRELATED = {words[0]: frozenset(words[1:]) for words in map(str.split, _APART.strip().splitlines())}
"""A word → what looks like a form of it, but is another word."""
