import { oidcSettings } from "./console-sign-in.ts";

/** A setting that has no effect, because a setting that it requires is not set. */
export interface UnusedSetting {
  name: string;
  needs: string;
}

const acme = ["TOLLGATE_ACME_EMAIL", "TOLLGATE_ACME_DIRECTORY", "TOLLGATE_ACME_CA"];

const postgres = [
  "TOLLGATE_DATABASE_CONNECTIONS",
  "TOLLGATE_DATABASE_FEED_URL",
  "TOLLGATE_DATABASE_REPLICA_URL",
  "TOLLGATE_DATABASE_PATIENCE",
  "TOLLGATE_COPY_DIR",
];

export function unusedSettings(given: (name: string) => string | undefined): UnusedSetting[] {
  return [
    ...(given("TOLLGATE_ACME") === "on" ? [] : acme.map((name) => ({ name, needs: "TOLLGATE_ACME=on" }))),
    ...(given("TOLLGATE_OIDC_ISSUER") ? [] : oidcSettings.map((name) => ({ name, needs: "TOLLGATE_OIDC_ISSUER" }))),
    ...(given("TOLLGATE_SMTP_URL") || given("TOLLGATE_MAIL_FOLDER")
      ? []
      : ["TOLLGATE_MAIL_FROM", "TOLLGATE_MAIL_SIGN_IN"].map((name) => ({ name, needs: "TOLLGATE_SMTP_URL" }))),
    ...(given("DATABASE_URL") ? [] : postgres.map((name) => ({ name, needs: "DATABASE_URL" }))),
    ...(given("TOLLGATE_PUBLIC_URL") ? [] : [{ name: "TOLLGATE_ALLOWED_HOSTS", needs: "TOLLGATE_PUBLIC_URL" }]),
  ].filter(({ name }) => given(name) !== undefined);
}
