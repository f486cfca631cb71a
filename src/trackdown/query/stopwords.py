"""Words of English and of issue templates that say nothing about code. A query with no other words keeps them."""

STOPWORDS = frozenset(
    """
    a about after again all also always am an and any are as at be because been before being below between both but by
    can cannot could did do does doing don down during each few for from further had has have having he her here him
    his how however i if in into is it its itself just let like ll make me might more most must my myself no nor not
    now of off on once one only or other our out over own please re really s same seem seems she should since so some
    such t than thank thanks that the their them then there these they this those through to too under until up us use
    used using ve very was way we were what when where whether which while who why will with without would yes yet you
    your
    actual actually behavior behaviour bug description describe expect expected following got happen happens hello help
    hi http https www com github instead issue problem question reproduce reproducible result results see still step
    steps thing things think try tried trying want wanted wants work works working
    """.split()
)
