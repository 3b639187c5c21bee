import { Fragment, type ReactNode } from "react";

interface FactsProps {
  /** The values by label. One that is undefined, false or an empty text is left out; null is shown as empty. */
  of: Record<string, ReactNode>;
  className?: string;
}

/** What is known of a thing, as a list of labels with values. */
export function Facts({ of: facts, className = "" }: FactsProps) {
  const known = Object.entries(facts).filter(([, value]) => value !== undefined && value !== false && value !== "");
  return (
    <dl className={`facts ${className}`.trim()}>
      {known.map(([label, value]) => (
        <Fragment key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </Fragment>
      ))}
    </dl>
  );
}
