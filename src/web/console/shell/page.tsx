import type { ReactNode } from "react";

interface PageHeadProps {
  title: ReactNode;
  children?: ReactNode;
  actions?: ReactNode;
}

export function PageHead({ title, children, actions }: PageHeadProps) {
  return (
    <div className="page-head">
      <div>
        <h1>{title}</h1>
        {children}
      </div>
      {actions && <div className="row row-wrap page-actions">{actions}</div>}
    </div>
  );
}

/** The purpose of a list in a sentence, and its actions. */
export function ListHead({ about, children }: { about: ReactNode; children: ReactNode }) {
  return (
    <div className="section-head">
      <p className="muted">{about}</p>
      <div className="row row-wrap">{children}</div>
    </div>
  );
}

export function Section({ title, actions, children }: { title: string; actions?: ReactNode; children: ReactNode }) {
  return (
    <section className="section">
      <div className="section-head">
        <h2>{title}</h2>
        {actions && <div className="row row-wrap">{actions}</div>}
      </div>
      {children}
    </section>
  );
}
