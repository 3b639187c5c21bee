import type { ReactNode } from "react";

interface PageHeadProps {
  title: string;
  /** What the page is for, in a sentence. */
  children?: ReactNode;
  action?: ReactNode;
}

export function PageHead({ title, children, action }: PageHeadProps) {
  return (
    <div className="site-head-row">
      <div>
        <h1>{title}</h1>
        {children && <p>{children}</p>}
      </div>
      {action}
    </div>
  );
}
