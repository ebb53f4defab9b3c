"""Trains the table of token vectors: train-vectors.py TEACHER PAIRS OUT (README.md). EVAL_DATA names the folder of data sets."""
import collections
import gzip
import hashlib
import json
import math
import os
import random
import re
import sys

import numpy as np
import scipy.sparse as sparse
from safetensors.numpy import load_file
from tokenizers import Tokenizer

DIMENSIONS = 256
STEPS, BATCH, RATE, TEMPERATURE = 600, 512, 0.002, 20.0
# Half of the batches are of one package or set, whose texts are harder to tell apart.
GROUPED = 0.5
SMOOTHING = 1e-4
# Of the teacher's output for a token beside its input embedding.
OUTPUT_SHARE = 0.6
SETS = ['squad2_dev_half', 'qed_train']
DATA = os.environ.get('EVAL_DATA', '../shared/data')


def is_held_out(page_id):
    """The half of the pages that is never seen."""
    return int(hashlib.md5(page_id.encode()).hexdigest(), 16) % 2 == 1


class Teacher:
    """all-MiniLM-L6-v2: its input embeddings, and its output for single tokens."""

    def __init__(self, folder):
        self.weights = {name: value.astype(np.float32) for name, value in load_file(f'{folder}/model.safetensors').items()}
        self.embeddings = self.weights['embeddings.word_embeddings.weight']

    def norm(self, x, name):
        centred = x - x.mean(-1, keepdims=True)
        deviation = np.sqrt((centred * centred).mean(-1, keepdims=True) + 1e-12)
        return centred / deviation * self.weights[f'{name}.weight'] + self.weights[f'{name}.bias']

    def linear(self, x, name):
        return x @ self.weights[f'{name}.weight'].T + self.weights[f'{name}.bias']

    def outputs(self, ids):
        """[texts, tokens] -> the mean of the last layer, of length 1."""
        weights, (texts, tokens) = self.weights, ids.shape
        x = self.embeddings[ids] + weights['embeddings.position_embeddings.weight'][:tokens]
        x = self.norm(x + weights['embeddings.token_type_embeddings.weight'][0], 'embeddings.LayerNorm')
        for layer in range(6):
            name = f'encoder.layer.{layer}'
            query, key, value = (
                self.linear(x, f'{name}.attention.self.{part}').reshape(texts, tokens, 12, 32).transpose(0, 2, 1, 3)
                for part in ('query', 'key', 'value')
            )
            attention = query @ key.transpose(0, 1, 3, 2) / math.sqrt(32)
            attention = np.exp(attention - attention.max(-1, keepdims=True))
            attention /= attention.sum(-1, keepdims=True)
            context = (attention @ value).transpose(0, 2, 1, 3).reshape(texts, tokens, 384)
            x = self.norm(x + self.linear(context, f'{name}.attention.output.dense'), f'{name}.attention.output.LayerNorm')
            h = self.linear(x, f'{name}.intermediate.dense')
            h = 0.5 * h * (1 + np.tanh(0.7978845608 * (h + 0.044715 * h**3)))
            x = self.norm(x + self.linear(h, f'{name}.output.dense'), f'{name}.output.LayerNorm')
        return unit(x.mean(1))[0]

    def single_tokens(self):
        count = len(self.embeddings)
        framed = np.array([[101, token, 102] for token in range(count)])
        return np.concatenate([self.outputs(framed[start:start + 512]) for start in range(0, count, 512)])


def unit(x):
    lengths = np.linalg.norm(x, axis=1, keepdims=True) + 1e-8
    return x / lengths, lengths


def main_axes(rows, count):
    rows = rows - rows.mean(0)
    _, axes = np.linalg.eigh(rows.T @ rows / len(rows))
    return rows @ axes[:, ::-1][:, :count]


def gzipped(name, file):
    with gzip.open(f'{DATA}/{name}/{file}.jsonl.gz', 'rt') as lines:
        return [json.loads(line) for line in lines]


def set_pairs(name):
    """Questions with their paragraphs, and sentences with the rest of theirs, of the half that is seen."""
    pages = {page['page_id']: page['paragraphs'] for page in gzipped(name, 'pages') if not is_held_out(page['page_id'])}
    for question in gzipped(name, 'questions'):
        paragraphs = pages.get(question['page_id'])
        if paragraphs is not None and question['answers']:
            pair = (question['question'], paragraphs[question['answers'][0]['para']][:700], name + question['page_id'][:1])
            yield from [pair, pair]
    for paragraphs in pages.values():
        for paragraph in paragraphs:
            sentences = re.split(r'(?<=[.?!])\s+', paragraph)
            place = random.randrange(len(sentences))
            if len(sentences) > 2 and len(sentences[place]) > 40:
                rest = sentences[:place] + sentences[place + 1:]
                yield sentences[place], ' '.join(rest)[:700], name


def manual_pairs(path):
    """Headings with their sections, and first sentences with the rest."""
    seen = set()
    for line in open(path):
        heading, text, title, package = json.loads(line)
        if (heading, title) in seen or len(text) < 150:
            continue
        seen.add((heading, title))
        asked = heading if random.random() < 0.6 else f'{title} {heading}'
        yield asked, text if random.random() < 0.7 else f'{title}. {text}', package
        end = text.find('. ')
        if random.random() < 0.5 and 40 < end < 250 and len(text) - end > 200:
            rest = text[end + 2:]
            yield text[:end], rest if random.random() < 0.6 else f'{heading} {rest}', package


def means(tokenizer, texts):
    """A sparse matrix that turns token vectors into the means of texts."""
    lists = [encoding.ids or [1012] for encoding in tokenizer.encode_batch(texts, add_special_tokens=False)]
    shares = np.concatenate([np.full(len(ids), 1 / len(ids), np.float32) for ids in lists])
    starts = np.cumsum([0, *map(len, lists)])
    matrix = sparse.csr_matrix((shares, np.concatenate(lists), starts), shape=(len(texts), tokenizer.get_vocab_size()))
    matrix.sum_duplicates()
    return matrix


def start_of(teacher, frequencies):
    both = [unit(part - part.mean(0))[0] for part in (teacher.embeddings, teacher.single_tokens())]
    both[1] *= OUTPUT_SHARE
    rarity = SMOOTHING / (SMOOTHING + frequencies / frequencies.sum())
    vectors = (main_axes(np.concatenate(both, 1), DIMENSIONS) * rarity[:, None]).astype(np.float32)
    return vectors / (np.abs(vectors).mean() * 10)


def gradients(left, right):
    """InfoNCE in both directions (van den Oord and others 2018), and what it asks of both sides."""
    (a, a_lengths), (b, b_lengths) = unit(left), unit(right)
    logits = a @ b.T * TEMPERATURE
    rows = np.exp(logits - logits.max(1, keepdims=True))
    columns = np.exp(logits - logits.max(0, keepdims=True))
    rows, columns = rows / rows.sum(1, keepdims=True), columns / columns.sum(0, keepdims=True)
    asked = (rows + columns - 2 * np.eye(len(a), dtype=np.float32)) * (TEMPERATURE / (2 * len(a)))
    back = lambda change, x, lengths: (change - x * (change * x).sum(1, keepdims=True)) / lengths
    return -np.log(np.diag(rows) + 1e-9).mean(), back(asked @ b, a, a_lengths), back(asked.T @ a, b, b_lengths)


def train(vectors, queries, texts, groups):
    """Adam (Kingma and Ba 2015) on the tokens of each batch."""
    first, second = np.zeros_like(vectors), np.zeros_like(vectors)
    shares = np.sqrt([len(group) for group in groups])
    for step in range(STEPS):
        group = groups[np.random.choice(len(groups), p=shares / shares.sum())]
        chosen = group if random.random() < GROUPED else np.arange(texts.shape[0])
        batch = np.random.choice(chosen, min(BATCH, len(chosen)), replace=False)
        x, y = queries[batch], texts[batch]
        used = np.unique(np.concatenate([x.indices, y.indices]))
        x, y, own = x[:, used].tocsr(), y[:, used].tocsr(), vectors[used]
        loss, of_x, of_y = gradients(x @ own, y @ own)
        change = x.T @ of_x + y.T @ of_y
        rate = RATE * min(1, (step + 1) / 50) * (1 - step / STEPS)
        first[used] += 0.1 * (change - first[used])
        second[used] += 0.001 * (change * change - second[used])
        scale = np.sqrt(second[used] / (1 - 0.999 ** (step + 1))) + 1e-8
        vectors[used] = own - rate * (first[used] / (1 - 0.9 ** (step + 1))) / scale
        if step % 100 == 99:
            print(step + 1, round(float(loss), 3), flush=True)
    return vectors


def main(teacher_folder, pairs_file, out):
    random.seed(7)
    np.random.seed(7)
    tokenizer = Tokenizer.from_file(f'{teacher_folder}/tokenizer.json')
    tokenizer.no_padding()
    tokenizer.no_truncation()
    pairs = [pair for name in SETS for pair in set_pairs(name)] + list(manual_pairs(pairs_file))
    queries, texts = (means(tokenizer, [pair[side] for pair in pairs]) for side in (0, 1))
    places = collections.defaultdict(list)
    for place, (_, _, group) in enumerate(pairs):
        places[group].append(place)
    groups = [np.array(group) for group in places.values() if len(group) >= 128]
    frequencies = np.asarray((texts > 0).sum(0)).ravel() + 1e-3
    np.save(out, train(start_of(Teacher(teacher_folder), frequencies), queries, texts, groups))


main(*sys.argv[1:])
