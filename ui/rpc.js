// rpc.js - sends requests to the worker and waits for its replies.

export class Calculator {
  /** @param {Worker} worker */
  constructor(worker) {
    this.worker = worker;
    this.next = 1;
    /** @type {Map<number, {resolve: (x: any) => void, reject: (e: Error) => void, tell: (text: string) => void}>} */
    this.waiting = new Map();
    worker.onmessage = (event) => this.receive(event.data);
    worker.onerror = (event) => this.fail(event.message || "the calculation stopped");
  }

  /** @param {{id: number, result?: any, error?: string, said?: string}} data */
  receive(data) {
    const call = this.waiting.get(data.id);
    if (!call) return;
    if (data.said !== undefined) return call.tell(data.said);
    this.waiting.delete(data.id);
    if (data.error !== undefined) call.reject(new Error(data.error));
    else call.resolve(data.result);
  }

  /** @param {string} message */
  fail(message) {
    for (const call of this.waiting.values()) call.reject(new Error(message));
    this.waiting.clear();
  }

  /** @param {string} op @param {any} args @param {{transfer?: Transferable[], tell?: (text: string) => void}} [how] @returns {Promise<any>} */
  call(op, args, { transfer = [], tell = () => {} } = {}) {
    const id = this.next++;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject, tell });
      this.worker.postMessage({ id, op, args }, transfer);
    });
  }
}
