/** What the page says about itself: lost connections, running jobs, news and errors. */

import type { Job } from "../api/types";
import { count } from "../format";
import { dismiss, notices } from "../state/notices";
import { activeJobs, cancelJob, connection } from "../state/workbench";
import { JOB_NAMES, PHASE_NAMES } from "../words";
import { Prose } from "./Prose";

export function Messages() {
  return (
    <>
      {connection.value === "lost" && (
        <div class="banner" role="alert">
          The server does not answer. Your request is kept; the page reconnects by itself.
        </div>
      )}
      <div class="jobs">
        {activeJobs.value.map((job) => (
          <JobBar key={job.id} job={job} />
        ))}
      </div>
      <div class="notices" aria-live="polite">
        {notices.value.map((notice) => (
          <div key={notice.id} class={`notice ${notice.kind}`} role={notice.kind === "error" ? "alert" : "status"}>
            <p>
              <strong>
                <Prose text={notice.message} />
              </strong>
              {notice.hint && (
                <span>
                  {" "}
                  <Prose text={notice.hint} />
                </span>
              )}
            </p>
            <button type="button" class="plain" aria-label="Dismiss this message" onClick={() => dismiss(notice.id)}>
              ×
            </button>
          </div>
        ))}
      </div>
    </>
  );
}

function JobBar({ job }: { job: Job }) {
  const name = JOB_NAMES[job.kind] ?? "Working";
  const percent = job.percent ?? (job.total ? (100 * (job.done ?? 0)) / job.total : null);
  const detail = job.state === "queued" ? "waiting for its turn" : (PHASE_NAMES[job.phase ?? ""] ?? job.phase ?? "");
  const amount = job.total ? `${count(job.done ?? 0)} of ${count(job.total)}` : "";
  return (
    <div class="job" role="status">
      <div class="job-head">
        <span>
          <strong>{name}</strong>
          {detail && <span class="quiet"> {detail}</span>}
          {amount && <span class="quiet"> ({amount})</span>}
        </span>
        <button type="button" class="secondary small" onClick={() => void cancelJob(job)}>
          Cancel
        </button>
      </div>
      {percent === null ? (
        <progress aria-label={name} />
      ) : (
        <progress aria-label={name} max={100} value={Math.round(percent)} />
      )}
    </div>
  );
}
