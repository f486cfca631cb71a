import * as React from 'react';

interface Props {
  title: string;
  children?: React.ReactNode;
}

enum Mode {
  Light = 'light',
  Dark = 'dark',
}

/** A panel. */
export function Panel({title, children}: Props): JSX.Element {
  const handle = React.useCallback(
    (event: React.MouseEvent) => {
      event.preventDefault();
    },
    [title],
  );
  const items = React.useMemo(() => [title], [title]);
  React.useEffect(() => {
    document.title = title;
  }, [title]);
  return (
    <section onClick={handle}>
      {items.map((item) => (
        <b key={item}>{children}</b>
      ))}
    </section>
  );
}

// A button that passes its ref on.
export const Button = React.memo(
  React.forwardRef<HTMLButtonElement, Props>(function Button(props, ref) {
    return <button ref={ref}>{props.title}</button>;
  }),
);

const Plain: React.FC<Props> = ({title}) => <i>{title}</i>;

export class Boundary extends React.Component<Props, {failed: boolean}> {
  state = {failed: false};

  static getDerivedStateFromError = (): {failed: boolean} => ({failed: true});

  render() {
    return this.state.failed ? null : this.props.children;
  }
}

export default function App() {
  return <Panel title="a" />;
}
