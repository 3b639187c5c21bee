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
