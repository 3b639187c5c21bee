import { useMutation } from "@tanstack/react-query";
import { CircleAlert, Upload } from "lucide-react";
import { type DragEvent, type ReactNode, useRef, useState } from "react";
import type { CsvItem } from "../../../../lib/text/csv-items.ts";
import { Button } from "../../../components/button.tsx";
import { Code } from "../../../components/copy.tsx";
import { Dialog, FormDialog } from "../../../components/dialog.tsx";
import { Notice } from "../../../components/notice.tsx";
import { messageOf, statusOf } from "../../../lib/errors.ts";
import { formatNumber, plural } from "../../../lib/format.ts";
import { CopyAs, useCall } from "../../shell/requests.tsx";
import { downloadCsv } from "./export-file.tsx";
import { type FileKind, forEachAtOnce, type Line, type Preview, previewOf } from "./file-kind.ts";

/** More would make the dialog slow, and few would be read. */
const maxShown = 50;

const atOnce = 4;

interface Props<Made> {
  kind: FileKind<Made>;
  /** Fields below the file. */
  options?: ReactNode;
  onClose: () => void;
}

/** Reads a CSV file, shows what would be created and what is wrong, and creates the rest. */
export function ImportFile<Made>({ kind, options, onClose }: Props<Made>) {
  const [name, setName] = useState<string>();
  const [done, setDone] = useState(0);
  const preview = useMutation({
    mutationFn: async (file: File) => {
      setName(file.name);
      return previewOf(await file.text(), kind);
    },
  });
  const create = useCall({
    call: async (api, items: CsvItem[]) => {
      const made: Made[] = [];
      const failed: Line[] = [];
      await forEachAtOnce(items, atOnce, async (item) => {
        try {
          made.push(await kind.create(api, item.fields));
        } catch (error) {
          if (statusOf(error) === undefined) throw error;
          failed.push({ line: item.line, item, error: messageOf(error) });
        }
        setDone((count) => count + 1);
      });
      return { made, failed };
    },
  });
  if (create.data) return <Result kind={kind} {...create.data} onClose={onClose} />;
  const { good = [], wrong = [] } = preview.data ?? {};
  return (
    <FormDialog
      title={kind.title}
      isWide
      mutation={{ ...create, error: create.error ?? preview.error }}
      submit={good.length === 0 ? "Create" : `Create ${plural(good.length, kind.noun)}`}
      disabled={good.length === 0}
      blocksClosing
      onClose={onClose}
      onSubmit={() => create.mutate(good)}
      footStart={
        <CopyAs
          call={(api) => kind.create(api, good[0]?.fields ?? kind.sample)}
          command={kind.command(name ?? "list.csv")}
        />
      }
    >
      {create.isPending ? (
        <label className="stack stack-tight">
          <span className="number" role="status">
            {formatNumber(done)} of {formatNumber(good.length)}
          </span>
          <progress className="progress" max={good.length} value={done} />
        </label>
      ) : (
        <>
          <FileDrop name={name} onFile={(file) => preview.mutate(file)} />
          <input type="hidden" value={name ?? ""} />
        </>
      )}
      {!preview.data && (
        <div className="stack stack-tight">
          <p className="muted">The first line has the names of the columns, in any order:</p>
          <Code text={kind.example} />
        </div>
      )}
      {preview.data && !create.isPending && <PreviewView kind={kind} {...preview.data} />}
      {!create.isPending && options}
      {wrong.length > 0 && good.length > 0 && (
        <p className="muted small">Lines with errors are left out. Correct the file and choose it again for all.</p>
      )}
    </FormDialog>
  );
}

function PreviewView<Made>({ kind, good, wrong }: Preview & { kind: FileKind<Made> }) {
  return (
    <>
      <p role="status">
        {`${plural(good.length, kind.noun)} can be created`}
        {wrong.length > 0 && `, ${plural(wrong.length, "line has an error", "lines have errors")}`}.
      </p>
      {wrong.length > 0 && <LineTable caption="Errors" lines={wrong} describe={kind.describe} />}
      {good.length > 0 && (
        <LineTable
          caption="Lines to create"
          lines={good.map((item) => ({ line: item.line, item }))}
          describe={kind.describe}
        />
      )}
    </>
  );
}

interface ResultProps<Made> {
  kind: FileKind<Made>;
  made: Made[];
  failed: Line[];
  onClose: () => void;
}

/** What was created. Values of new keys are saved before the dialog closes: they may not be shown again. */
function Result<Made>({ kind, made, failed, onClose }: ResultProps<Made>) {
  const values = kind.valuesOf(made);
  const [isSaved, setSaved] = useState(values === undefined);
  return (
    <Dialog
      title={kind.title}
      isWide
      isStubborn={!isSaved}
      onClose={onClose}
      foot={
        <Button kind={isSaved ? "primary" : undefined} onClick={onClose}>
          {isSaved ? "Close" : "Close without the values"}
        </Button>
      }
    >
      <Notice kind="success">{`${plural(made.length, kind.noun)} created.`}</Notice>
      {values && (
        <Notice kind="warning">
          <p>Save the values of the new keys now and send them over a safe channel. They may not be shown again.</p>
          <Button
            kind="primary"
            onClick={() => {
              downloadCsv(values, "keys.csv");
              setSaved(true);
            }}
          >
            Save the values as CSV
          </Button>
        </Notice>
      )}
      {failed.length > 0 && (
        <>
          <Notice kind="error">{`${plural(failed.length, "line was", "lines were")} rejected.`}</Notice>
          <LineTable caption="Rejected lines" lines={failed} describe={kind.describe} />
        </>
      )}
    </Dialog>
  );
}

function FileDrop({ name, onFile }: { name: string | undefined; onFile: (file: File) => void }) {
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const drag = (over: boolean) => (event: DragEvent) => {
    event.preventDefault();
    setOver(over);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button inside does the same for keyboards
    <div
      className="drop"
      data-over={isOver || undefined}
      onDragOver={drag(true)}
      onDragLeave={drag(false)}
      onDrop={(event) => {
        drag(false)(event);
        const [file] = event.dataTransfer.files;
        if (file) onFile(file);
      }}
    >
      <Upload size={20} aria-hidden />
      {name === undefined ? <span>Drop a CSV file here</span> : <span className="strong">{name}</span>}
      <Button isSmall onClick={() => input.current?.click()}>
        {name === undefined ? "Choose file" : "Choose another file"}
      </Button>
      <input
        ref={input}
        className="visually-hidden"
        type="file"
        aria-label="CSV file"
        tabIndex={-1}
        accept=".csv,text/csv"
        onChange={({ target }) => {
          const [file] = target.files ?? [];
          if (file) onFile(file);
          // The same file can be chosen again after it was corrected.
          target.value = "";
        }}
      />
    </div>
  );
}

interface LineTableProps {
  caption: string;
  lines: Line[];
  describe: (item: CsvItem) => string;
}

/** Lines of a file, each with its content or its error. */
function LineTable({ caption, lines, describe }: LineTableProps) {
  const more = lines.length - maxShown;
  return (
    <div className="stack stack-tight">
      <h3>{caption}</h3>
      <ul className="file-lines" aria-label={caption}>
        {lines.slice(0, maxShown).map(({ line, item, error }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a line may have several errors, and the list does not change
          <li key={index}>
            <span className="muted number">Line {formatNumber(line)}</span>
            <span className="wrap-anywhere">
              {item && <span className="strong">{describe(item)} </span>}
              {error !== undefined && (
                <span className="file-error">
                  <CircleAlert size={14} aria-hidden /> {error}
                </span>
              )}
            </span>
          </li>
        ))}
      </ul>
      {more > 0 && <p className="muted small">and {formatNumber(more)} more</p>}
    </div>
  );
}
