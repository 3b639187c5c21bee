import { createContext, type ReactNode, useCallback, useContext, useLayoutEffect, useState } from "react";

interface Shown {
  texts: ReadonlySet<string>;
  add: (text: string) => () => void;
}

const Context = createContext<Shown>({ texts: new Set(), add: () => () => {} });

/** Wraps a form: an error that is shown at its field is not repeated above the form. */
export function ShownErrors({ children }: { children: ReactNode }) {
  const [texts, setTexts] = useState<ReadonlySet<string>>(new Set());
  const add = useCallback((text: string) => {
    setTexts((old) => new Set([...old, text]));
    return () => setTexts((old) => new Set([...old].filter((other) => other !== text)));
  }, []);
  return <Context value={{ texts, add }}>{children}</Context>;
}

/** The errors that the fields of this form show. */
export const useShownErrors = (): ReadonlySet<string> => useContext(Context).texts;

/** Reports that a field shows the error, before the next paint and until it is removed. */
export function useReportShown(text: string | undefined): void {
  const { add } = useContext(Context);
  useLayoutEffect(() => (text === undefined ? undefined : add(text)), [add, text]);
}
