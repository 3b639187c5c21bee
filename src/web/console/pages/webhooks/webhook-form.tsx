import { useState } from "react";
import { etagOf, type Webhook } from "../../../../client/index.ts";
import { Code, TitledCode } from "../../../components/copy.tsx";
import { Dialog, FormDialog } from "../../../components/dialog.tsx";
import { bindForm, Checkbox, FieldError, TextField } from "../../../components/field.tsx";
import { Notice } from "../../../components/notice.tsx";
import { errorAt, fieldErrors } from "../../../lib/errors.ts";
import { command } from "../../../lib/shell.ts";
import { useSession } from "../../queries/session.tsx";
import { SaveError } from "../../shell/edit-dialog.tsx";
import { CopyAs, useCall } from "../../shell/requests.tsx";
import { eventGroups } from "./event-types.ts";

const formOf = (webhook: Webhook | undefined) => ({
  url: webhook?.url ?? "",
  description: webhook?.description ?? "",
  events: webhook?.events ?? ["*"],
  isEnabled: webhook?.isEnabled ?? true,
});
type Form = ReturnType<typeof formOf>;

interface WebhookFormProps {
  webhook?: Webhook;
  onClose: () => void;
  onCreated?: (id: string) => void;
}

/** Creates a webhook and shows its secret once, or changes one. A concurrent change is a conflict. */
export function WebhookForm({ webhook, onClose, onCreated }: WebhookFormProps) {
  const { api } = useSession();
  const [before, setBefore] = useState(webhook);
  const [form, setForm] = useState(() => formOf(webhook));
  const create = useCall({ call: (api) => api.webhooks.create(inputOf(form)) });
  const save = useCall({
    call: (api, base: Webhook) => api.webhooks.update(base.id, changesOf(form), { ifMatch: etagOf(base) }),
    done: "Webhook saved",
    onSuccess: onClose,
  });
  if (create.data)
    return (
      <SecretReveal
        title="The webhook's secret"
        secret={create.data.secret}
        onClose={() => onCreated?.(create.data.id)}
      />
    );
  const error = create.error ?? save.error;
  const errors = fieldErrors(error);
  const { field, checkbox } = bindForm(form, setForm, errors);
  return (
    <FormDialog
      title={webhook ? "Edit webhook" : "Create webhook"}
      isWide
      mutation={{ isPending: create.isPending || save.isPending, error }}
      submit={webhook ? "Save" : "Create webhook"}
      hasOwnError
      onClose={onClose}
      blocksClosing={!webhook}
      onSubmit={() => (before ? save.mutate(before) : create.mutate())}
      footStart={before ? <CopyAs of={save} value={before} /> : <CopyAs of={create} />}
    >
      <SaveError
        save={{ ...save, error }}
        onBefore={setBefore}
        load={() => api.webhooks.get(webhook!.id)}
        fields={(theirs) => [
          { label: "Address", theirs: theirs.url, mine: form.url },
          { label: "Description", theirs: theirs.description, mine: form.description },
          { label: "Events", theirs: theirs.events, mine: form.events },
        ]}
        onTheirs={(theirs) => setForm(formOf(theirs))}
      />
      <TextField
        label="Address"
        isMono
        placeholder="https://acme.example/webhooks"
        hint="Each event is sent there as a POST, signed by Standard Webhooks. Redirects are not followed."
        {...field("url")}
      />
      <TextField label="Description" isOptional {...field("description")} />
      <EventsField
        value={form.events}
        error={errorAt(errors, "/events")}
        onChange={(events) => setForm({ ...form, events })}
      />
      {!webhook && (
        <Checkbox
          label="Send from now on"
          hint="Off: it is created, and gets nothing until it is enabled."
          {...checkbox("isEnabled")}
        />
      )}
    </FormDialog>
  );
}

const inputOf = ({ url, events, description, isEnabled }: Form) => ({
  url,
  events,
  description: description || undefined,
  isEnabled: isEnabled ? undefined : false,
});

const changesOf = ({ url, events, description }: Form) => ({ url, events, description: description || null });

interface EventsFieldProps {
  /** Patterns: `*`, `key.*`, `key.rolled`. */
  value: string[];
  onChange: (patterns: string[]) => void;
  error: string | undefined;
}

/** Selects the events of a webhook: all, all of a resource, or single types. */
function EventsField({ value, onChange, error }: EventsFieldProps) {
  const isOn = (pattern: string) => value.includes(pattern);
  const toggle = (pattern: string, covered: (other: string) => boolean) =>
    onChange(
      isOn(pattern)
        ? value.filter((other) => other !== pattern)
        : [...value.filter((other) => !covered(other)), pattern],
    );
  const isAll = isOn("*");
  return (
    <fieldset className="events">
      <legend className="field-label">Events</legend>
      <FieldError error={error} />
      <Checkbox
        label="All events, including those added in later versions"
        checked={isAll}
        onChange={() => toggle("*", () => true)}
      />
      {!isAll &&
        eventGroups.map(({ resource, types }) => {
          const pattern = `${resource}.*`;
          const isWhole = isOn(pattern);
          return (
            <div className="events-group" key={resource}>
              {types.length > 1 && (
                <Checkbox
                  label={`All of ${resource}`}
                  checked={isWhole}
                  onChange={() => toggle(pattern, (other) => other.startsWith(`${resource}.`))}
                />
              )}
              {types.map(({ type, meaning }) => (
                <Checkbox
                  key={type}
                  label={type}
                  hint={meaning}
                  checked={isWhole || isOn(type)}
                  disabled={isWhole}
                  onChange={() => toggle(type, () => false)}
                />
              ))}
            </div>
          );
        })}
    </fieldset>
  );
}

/** Shows a webhook's secret, once. */
export function SecretReveal({ title, secret, onClose }: { title: string; secret: string; onClose: () => void }) {
  return (
    <Dialog title={title} isWide isStubborn onClose={onClose} closeLabel="I have stored it">
      <Notice kind="warning">Copy it now: it is not shown again. Your receiver verifies signatures with it.</Notice>
      <Code text={secret} isSecret />
      <TitledCode title="See what arrives, on your machine" text={command("webhooks", "listen", "--secret", secret)} />
    </Dialog>
  );
}
