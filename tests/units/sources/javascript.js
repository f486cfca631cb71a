/** Says hello. */
export function greet(name) {
  function inner() {
    return name;
  }
  return inner();
}

async function* walk(tree) {
  yield* tree;
}

// Adds one.
export const increment = (value) => value + 1;

const first = () => 1,
  second = () => {
    return 2;
  };

let chosen = globalThis.pick || function (list) {
  return list[0];
};

const router = {
  routes: [],
  // Finds a route.
  find(path) {
    return this.routes[path];
  },
  get size() {
    return this.routes.length;
  },
  add: function (route) {
    this.routes.push(route);
  },
  hooks: {
    before: async () => null,
  },
  'on-error': (error) => error,
};

class Queue extends Base {
  #items = [];
  limit = 10;

  // Runs when it is full.
  onFull = () => {
    this.clear();
  };

  constructor() {
    super();
  }

  static from(list) {
    return new Queue(list);
  }

  get length() {
    return this.#items.length;
  }

  set length(value) {
    this.#items.length = value;
  }

  #shift() {
    return this.#items.shift();
  }

  async *[Symbol.asyncIterator]() {
    yield this.#shift();
  }
}

function Widget(element) {
  this.element = element;
  this.hide = function () {
    element.hidden = true;
  };
}

/**
 * Shows the widget.
 */
Widget.prototype.show = function () {
  this.element.hidden = false;
};
Widget.create = (element) => new Widget(element);
Widget.prototype = {
  toggle() {
    return 1;
  },
};
Object.assign(Widget.prototype, {
  blink() {
    return 2;
  },
});

exports.parse = function parse(text) {
  return JSON.parse(text);
};
module.exports.print = (value) => String(value);
module.exports = {
  greet,
  stop: () => 0,
};
module.exports = function main() {
  return 0;
};

const Card = memo(() => <div />);
export const Input = React.forwardRef(function Input(props, ref) {
  return <input ref={ref} {...props} />;
});
const Both = memo(forwardRef((props, ref) => <p ref={ref} />));
const onClick = useCallback(() => {
  increment(1);
}, []);
const doubled = [1, 2].map((value) => value * 2);

const Shape = class {
  area() {
    return 0;
  }
};

var Counter = (function () {
  var count = 0;
  function next() {
    return ++count;
  }
  return {next: next};
})();

window.addEventListener('load', () => {
  Counter.next();
});
later = function () {};
module.exports = class Base {};

const withLog = (Base) => class Logged extends Base {
  log() {}
};

/* The entry. */
export default () => {
  greet('you');
};
