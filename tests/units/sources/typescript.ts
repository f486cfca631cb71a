import {Base} from './base';

export type Handler = (event: string) => void;

/** What can be drawn. */
export interface Drawable<T> extends Base {
  color: string;
  draw(context: T): void;
  onDone: () => void;
}

export const enum Direction {
  Up = 1,
  Down,
}

// A shape.
@sealed
@tagged({name: 'shape'})
export abstract class Shape<T> implements Drawable<T> {
  color = 'red';
  private handlers: Handler[] = [];
  onDone = (): void => {
    this.handlers = [];
  };

  constructor(private readonly size: number) {
    super();
  }

  abstract area(): number;

  /** Draws it. */
  @memoize()
  @timed
  draw(context: T): void {
    context.fill(this.color);
  }

  static parse(text: string): Shape<any>;
  static parse(text: string, size?: number): Shape<any> {
    return JSON.parse(text);
  }

  get width(): number {
    return this.size;
  }
}

export function overloaded(value: string): string;
export function overloaded(value: number): number;
export function overloaded(value: any): any {
  return value;
}

declare function external(name: string): Promise<void>;

declare module 'elsewhere' {
  export function hidden(): void;
  interface Options {
    strict: boolean;
  }
}

export namespace Geometry {
  /** The distance. */
  export const distance = (a: Point, b: Point): number => a.x - b.x;
  export class Point {
    x = 0;
  }
}

export const identity = <T>(value: T): T => value;
const checked = ((value) => value) as Handler;
const settled = {
  run: async (): Promise<void> => undefined,
} satisfies Record<string, Handler>;

export const useStore = defineStore('main', {
  actions: {
    load(): void {
      fetch('/');
    },
  },
});

@Injectable()
class Service {
  @Input() name: string;

  @HostListener('click') click() {
    return this.name;
  }
}

export default class extends Service {
  run?(): void;
  stop(): void {
    return;
  }
}
