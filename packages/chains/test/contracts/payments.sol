// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// A token with six decimals whose `transfer` returns nothing, as Tether's does.
contract Token {
    string public name = "Test Dollar";
    string public symbol = "USDT";
    uint8 public decimals = 6;
    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;

    event Transfer(address indexed from, address indexed to, uint256 value);

    constructor() {
        totalSupply = 1_000_000_000_000;
        balanceOf[msg.sender] = totalSupply;
        emit Transfer(address(0), msg.sender, totalSupply);
    }

    function transfer(address to, uint256 value) public {
        require(balanceOf[msg.sender] >= value, "balance");
        balanceOf[msg.sender] -= value;
        balanceOf[to] += value;
        emit Transfer(msg.sender, to, value);
    }

    /// Several transfers in one transaction.
    function transferToAll(address[] calldata to, uint256 value) external {
        for (uint256 i = 0; i < to.length; i++) transfer(to[i], value);
    }
}

/// A token that returns false instead of reverting, as some early tokens do.
contract ClosableToken {
    uint8 public decimals = 6;
    bool public closed;
    mapping(address => uint256) public balanceOf;

    event Transfer(address indexed from, address indexed to, uint256 value);

    function issue(address to, uint256 value) external {
        balanceOf[to] += value;
        emit Transfer(address(0), to, value);
    }

    function setClosed(bool value) external {
        closed = value;
    }

    function transfer(address to, uint256 value) external returns (bool) {
        if (closed || balanceOf[msg.sender] < value) return false;
        balanceOf[msg.sender] -= value;
        balanceOf[to] += value;
        emit Transfer(msg.sender, to, value);
        return true;
    }
}

/// A token that keeps a tenth of each transfer.
contract FeeToken {
    uint8 public decimals = 6;
    mapping(address => uint256) public balanceOf;

    event Transfer(address indexed from, address indexed to, uint256 value);

    constructor() {
        balanceOf[msg.sender] = 1_000_000_000_000;
    }

    function transfer(address to, uint256 value) external returns (bool) {
        balanceOf[msg.sender] -= value;
        uint256 arrived = value - value / 10;
        balanceOf[to] += arrived;
        balanceOf[address(this)] += value - arrived;
        emit Transfer(msg.sender, to, arrived);
        emit Transfer(msg.sender, address(this), value - arrived);
        return true;
    }
}

/// Emits transfer events without moving a balance.
contract LookAlike {
    string public symbol = "USDT";
    uint8 public decimals = 6;

    event Transfer(address indexed from, address indexed to, uint256 value);

    function transfer(address to, uint256 value) external {
        emit Transfer(msg.sender, to, value);
    }
}

/// Forwards payments, like exchanges and smart wallets.
contract Forwarder {
    function pay(address payable to) public payable {
        (bool ok, ) = to.call{value: msg.value}("");
        require(ok, "refused");
    }

    function payAndRevert(address payable to) external payable {
        pay(to);
        revert("cancelled");
    }

    /// The inner payment is reverted, the transaction succeeds.
    function tryToPay(address payable to) external payable {
        try this.payAndRevert{value: msg.value}(to) {} catch {}
    }
}

/// The OP stack's contract that prices the data of a transaction.
contract GasPriceOracle {
    uint256 public fee;

    function getL1Fee(bytes calldata unsignedTransaction) external view returns (uint256) {
        require(unsignedTransaction.length > 0, "no transaction");
        return fee;
    }
}
