import type { ReactNode } from "react";

interface FrameProps {
  version: string | undefined;
  themeButton: ReactNode;
  children: ReactNode;
}

/** The frame of the documentation: the guides, as the build renders them, and the reference. */
export function Frame({ version, themeButton, children }: FrameProps) {
  return (
    <div className="site" data-wide>
      <header className="site-head">
        <a className="visually-hidden" href="#main">
          Skip to the content
        </a>
        <div className="site-bar">
          <a href="/docs/guides" className="site-name">
            <img src="/docs/icon.svg" alt="" width={32} height={32} />
            <span className="truncate">Tollgate documentation</span>
          </a>
          <a href="/console">Console</a>
          {themeButton}
        </div>
      </header>
      <main className="site-main" id="main" tabIndex={-1}>
        {children}
      </main>
      <footer className="site-foot">
        <div>
          <span>Tollgate {version}</span>
          <a href="/openapi.json">OpenAPI document</a>
          <a href="/llms.txt">llms.txt</a>
        </div>
      </footer>
    </div>
  );
}
