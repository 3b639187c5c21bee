import { Link } from "@tanstack/react-router";
import { type ReactNode, useEffect } from "react";
import { Notice } from "../../../components/notice.tsx";
import { messageOf } from "../../../lib/errors.ts";
import { Mark } from "../../shell/mark.tsx";

/** A page for people who are not signed in yet. */
export function SignInCard({ title, error, children }: { title: string; error?: unknown; children?: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · Tollgate`;
  }, [title]);
  return (
    <main className="signin">
      <div className="signin-card">
        <div className="brand">
          <Mark size={24} />
          Tollgate
        </div>
        <h1>{title}</h1>
        {error ? <Notice kind="error">{messageOf(error)}</Notice> : null}
        {children}
        {error ? (
          <Link className="button" to="/sign-in">
            Go to sign-in
          </Link>
        ) : null}
      </div>
    </main>
  );
}
