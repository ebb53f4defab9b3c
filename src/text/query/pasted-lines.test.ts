import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { selectAsked } from './pasted-lines.ts';

describe('selectAsked', () => {
  it('leaves a text of one line as it is', () => {
    const query = 'df.groupby(pd.cut(df.views, bins)) "exact phrase" 2018-07-11';
    assert.equal(selectAsked(query), query);
  });

  it('keeps sentences and drops pasted data and code', () => {
    const asked = selectAsked(
      'I want to count the views of each user in bins.\n\n| username | views |\n| john | 3 |\nbins = [1, 10, 25]\ngroups = df.groupby(pd.cut(df.views, bins))\nHow can I get counts by user?',
    );
    assert.equal(asked, 'I want to count the views of each user in bins. How can I get counts by user?');
  });

  it('adds the words of imported modules', () => {
    for (const [line, words] of [
      ['import matplotlib.pyplot as plt', 'matplotlib pyplot'],
      ['from numpy.linalg import norm', 'numpy linalg'],
      ["import { z } from 'zod'", 'zod'],
      ["const fs = require('node:fs')", 'node fs'],
      ['use tokio::sync::mpsc;', 'tokio sync mpsc'],
      ['#include <sys/socket.h>', 'sys socket'],
    ])
      assert.equal(
        selectAsked(`${line}\n# make all ticks whole numbers`),
        `make all ticks whole numbers ${words}`,
      );
  });

  it('does not take a sentence for an import', () => {
    assert.equal(
      selectAsked('Why does this not work?\nimport statements at the top of my file fail.'),
      'Why does this not work? import statements at the top of my file fail.',
    );
  });

  it('reads comments in code as sentences', () => {
    assert.equal(selectAsked('x = 1\nplot(x) # draw a dashed line\ny = 2 # two'), 'draw a dashed line');
  });

  it('keeps lines of errors', () => {
    assert.equal(
      selectAsked(
        'I load a model and get this error when it runs:\nmodel.fit(x)\nValueError: Shapes (3,) and (2,)',
      ),
      'I load a model and get this error when it runs: ValueError: Shapes (3,) and (2,)',
    );
  });

  it('adds what the code calls where the sentence says nothing', () => {
    assert.equal(
      selectAsked('Why does this not do it?\nframe.interpolate(x)\nframe.resample(3)'),
      'Why does this not do it? interpolate resample',
    );
  });

  it('keeps a text in which nothing is a sentence', () => {
    const code = 'a = frame.pivot(x)\nb = a.stack()';
    assert.equal(selectAsked(code), code);
  });

  it('returns what it has selected as it is', () => {
    const asked = selectAsked('How do I turn the axis labels?\nimport matplotlib.pyplot as plt\nplt.plot(1)');
    assert.equal(selectAsked(asked), asked);
  });
});
