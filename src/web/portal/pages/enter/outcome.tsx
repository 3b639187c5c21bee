import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { PortalSignInOutcome, PortalSite } from "../../../../client/transport/portal-schema.gen.ts";
import { Button } from "../../../components/button.tsx";
import { bindInput, TextArea, TextField } from "../../../components/field.tsx";
import { ErrorNotice } from "../../../components/notice.tsx";
import { errorAt, fieldErrors } from "../../../lib/errors.ts";
import { goTo } from "../../../lib/router.tsx";
import { call } from "../../queries/api.ts";
import { showFirstKey } from "../../queries/kept-keys.ts";
import { signedIn } from "../../queries/session.ts";

/** A program waits for the customer's consent on this page. */
export const consentPage = "/oauth/authorize";

interface Step {
  site: PortalSite;
  outcome: PortalSignInOutcome;
}

/** What follows when the person has proven who they are, unless they are signed in already. */
export const NextStep = (step: Step) => (
  <div className="enter">
    <Next {...step} />
  </div>
);

function Next({ site, outcome }: Step) {
  if (outcome.customers) return <ChooseCustomer site={site} outcome={outcome} />;
  if (outcome.signUp === "pending") return <Requested site={site} />;
  if (outcome.signUp === "denied")
    return (
      <>
        <h1>No access</h1>
        <p>Your request for access to {site.title} was declined.</p>
      </>
    );
  return <SignUp site={site} outcome={outcome} />;
}

function ChooseCustomer({ outcome }: Step) {
  const choose = useMutation({
    mutationFn: (id: string) => call("choosePortalCustomer", { body: { proof: outcome.proof!, id } }),
    onSuccess: ({ session }) => enter(session!, outcome.to),
  });
  return (
    <>
      <h1>Choose an account</h1>
      <p>{outcome.email ?? "You"} can manage several. You can switch later.</p>
      {choose.error && <ErrorNotice error={choose.error} />}
      <ul className="choices-list">
        {outcome.customers!.map(({ id, name }) => (
          <li key={id}>
            <Button isBusy={choose.isPending && choose.variables === id} onClick={() => choose.mutate(id)}>
              {name}
            </Button>
          </li>
        ))}
      </ul>
    </>
  );
}

function SignUp({ site, outcome }: Step) {
  const isRequest = outcome.signUp === "approval";
  const [name, setName] = useState("");
  const [note, setNote] = useState("");
  const create = useMutation({
    mutationFn: () =>
      call("signUpToPortal", {
        body: {
          proof: outcome.proof!,
          ...(name.trim() === "" ? {} : { name: name.trim() }),
          ...(note.trim() === "" ? {} : { note: note.trim() }),
        },
      }),
    onSuccess: ({ session, key }) => {
      if (!session) return;
      if (key !== undefined) showFirstKey(key);
      // The first key is shown above the page on which the person goes on.
      const goesOn = outcome.to !== undefined && [consentPage, "/plans"].some((page) => outcome.to!.startsWith(page));
      enter(session, key === undefined || goesOn ? outcome.to : "/keys");
    },
  });
  if (create.data?.isRequested) return <Requested site={site} />;
  const errors = fieldErrors(create.error);
  return (
    <>
      <h1>{isRequest ? "Request access" : "Create your account"}</h1>
      <p>
        {isRequest
          ? `${site.title} approves new customers. Say who you are.`
          : `You get an account at ${site.title} and a first key.`}
      </p>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          create.mutate();
        }}
      >
        {create.error && <ErrorNotice error={create.error} />}
        {outcome.email && <p className="small muted">Signed in as {outcome.email}</p>}
        <TextField
          label="Company or name"
          isOptional
          autoComplete="organization"
          maxLength={80}
          {...bindInput(name, setName, errorAt(errors, "/name"))}
        />
        {isRequest && (
          <TextArea
            label="What do you want to build?"
            isOptional
            rows={3}
            maxLength={500}
            {...bindInput(note, setNote, errorAt(errors, "/note"))}
          />
        )}
        {site.termsUrl && (
          <p className="small muted">
            By continuing you accept the{" "}
            <a href={site.termsUrl} rel="noreferrer">
              terms
            </a>
            .
          </p>
        )}
        <div>
          <Button type="submit" kind="primary" isBusy={create.isPending}>
            {isRequest ? "Request access" : "Create account"}
          </Button>
        </div>
      </form>
    </>
  );
}

function Requested({ site }: { site: PortalSite }) {
  return (
    <>
      <h1>Your request was sent</h1>
      <p>{site.title} will decide about it. You get a mail when you have access.</p>
    </>
  );
}

export function enter(session: NonNullable<PortalSignInOutcome["session"]>, path = "/"): void {
  signedIn(session);
  if (window.location.pathname !== consentPage) goTo(path, { replace: true });
}
