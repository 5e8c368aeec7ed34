// The page in a real Chromium: node page.mjs MODULES URL FOLDER SCREENSHOTS TREND. Prints a JSON object of what it saw.
//
// Each file of FOLDER is chosen, its answer has to appear with its figures drawn; those of a folder in it are chosen together; one is dropped. Two files of
// FOLDER/two are compared. TREND is a report. Wide and narrow, light and dark; no message on the console, no request to another host, nothing serious found by axe-core.
import {createRequire} from 'node:module';
import {readdirSync, readFileSync, statSync} from 'node:fs';
import {join} from 'node:path';

const [modules, url, folder, screenshots, trend] = process.argv.slice(2);
const require = createRequire(join(modules, '/'));
const {chromium} = require('playwright-core');
const axe = readFileSync(require.resolve('axe-core'), 'utf8');

const seen = {messages: [], foreign: [], serious: [], answers: {}};
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
});

async function open(width, colorScheme, address) {
  const page = await browser.newPage({viewport: {width, height: 900}, colorScheme, bypassCSP: false});
  page.on('console', (message) => seen.messages.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => seen.messages.push(`error: ${error.message}`));
  page.on('request', (request) => {
    const there = new URL(request.url());
    if (there.protocol.startsWith('http') && there.host !== new URL(url).host) seen.foreign.push(request.url());
  });
  await page.goto(address);
  return page;
}

// Figures are drawn when they come into view: kinds, and how many elements each consists of.
async function figuresOf(page) {
  const drawn = {};
  for (const section of await page.locator('section[data-figure]').all()) {
    await section.scrollIntoViewIfNeeded();
    const figure = section.locator('.figure');
    await figure.locator('> *').first().waitFor({state: 'attached', timeout: 10000}).catch(() => {});
    drawn[await section.getAttribute('data-figure')] = await figure.evaluate((one) => one.querySelectorAll('svg *, canvas, td, code').length);
  }
  return drawn;
}

async function judge(page, name) {
  await page.evaluate(axe);
  const result = await page.evaluate(() => axe.run(document, {resultTypes: ['violations']}));
  for (const one of result.violations) {
    if (one.impact === 'serious' || one.impact === 'critical') seen.serious.push(`${name}: ${one.id}: ${one.nodes[0].html.slice(0, 200)}`);
  }
  await page.screenshot({path: join(screenshots, `${name}.png`), fullPage: true});
}

const looks = [[1280, 'light'], [1280, 'dark'], [400, 'light'], [400, 'dark']];
for (const [width, scheme] of looks) {
  const page = await open(width, scheme, url);
  await judge(page, `start-${width}-${scheme}`);
  await page.close();
}

let number = 0;
for (const name of readdirSync(folder).sort()) {
  const [width, scheme] = looks[number++ % looks.length];
  const page = await open(width, scheme, url);
  const path = join(folder, name), together = statSync(path).isDirectory();
  await page.setInputFiles('#files', together ? readdirSync(path).sort().map((one) => join(path, one)) : path);
  await page.waitForSelector('#answer h1, #problem section', {timeout: 30000});
  seen.answers[name] = {
    headline: await page.locator('#answer h1').first().textContent({timeout: 1000}).catch(() => ''),
    sections: await page.locator('#answer section').count(),
    problem: await page.locator('#problem').textContent(),
    focused: await page.evaluate(() => document.activeElement.id),
    title: await page.title(),
    figures: await figuresOf(page),
    wide: await page.evaluate(() => document.documentElement.scrollWidth - innerWidth),
  };
  await judge(page, `${name}-${width}-${scheme}`);
  await page.close();
}

// Two profiles have no answer together, so they are compared; which one is before the change goes by their names.
{
  const page = await open(1280, 'light', url);
  const two = readdirSync(join(folder, 'two')).sort().map((one) => join(folder, 'two', one));
  await page.setInputFiles('#files', two);
  await page.waitForSelector('section[data-figure="intervals"]', {timeout: 30000});
  seen.compared = {headline: await page.locator('#answer h1').first().textContent(), figures: await figuresOf(page)};
  await judge(page, 'compared-1280-light');
  await page.close();
}

// What a reader looks at is in the link.
{
  const page = await open(1280, 'light', url);
  await page.setInputFiles('#files', join(folder, 'trace.json'));
  await page.waitForSelector('section[data-figure="kernels"]', {timeout: 30000});
  await figuresOf(page);
  await page.locator('section[data-figure="kernels"] button').first().click();
  seen.link = await page.evaluate(() => location.hash);
  await page.close();
}

// A file that is dropped, and the answer as a file that opens from disk.
{
  const page = await open(1280, 'light', url);
  const name = readdirSync(folder).sort().find((one) => one === 'report.csv');
  const text = readFileSync(join(folder, name), 'utf8');
  const transfer = await page.evaluateHandle(({text, name}) => {
    const data = new DataTransfer();
    data.items.add(new File([text], name));
    return data;
  }, {text, name});
  await page.dispatchEvent('body', 'drop', {dataTransfer: transfer});
  await page.waitForSelector('#answer h1', {timeout: 30000});
  const [download] = await Promise.all([page.waitForEvent('download'), page.click('button[data-format="html"]')]);
  seen.downloaded = download.suggestedFilename();
  const saved = join(screenshots, 'saved.html');
  await download.saveAs(saved);
  const report = await open(1280, 'dark', `file://${saved}`);
  seen.saved = await report.locator('h1').first().textContent();
  await figuresOf(report);
  await judge(report, 'saved-1280-dark');
  await page.keyboard.press('Tab');
  seen.copied = await report.locator('button[data-copy]').count();
}
{
  const report = await open(1280, 'light', `file://${trend}`);
  seen.trend = await figuresOf(report);
}
await browser.close();
console.log(JSON.stringify(seen));
