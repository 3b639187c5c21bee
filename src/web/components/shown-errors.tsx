import { createContext, type ReactNode, useCallback, useContext, useLayoutEffect, useState } from "react";

interface Shown {
  texts: ReadonlySet<string>;
  add: (text: string) => () => void;
}

const Context = createContext<Shown>({ texts: new Set(), add: () => () => {} });

/** Around a form: an error that stands at its field is not repeated above the form. */
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

/** Reports an error as shown for as long as the field shows it, before the next paint. */
export function useReportShown(text: string | undefined): void {
  const { add } = useContext(Context);
  useLayoutEffect(() => (text === undefined ? undefined : add(text)), [add, text]);
}
